-- A letter has the subject of its job, so that a later job for the subject closes it. What ops discarded and what a later letter
-- replaced are two things.
ALTER TABLE "dead_letters" ADD COLUMN "subject" TEXT, ADD COLUMN "replaced_at" TIMESTAMPTZ(6);

UPDATE "dead_letters" SET "subject" = coalesce("data"->>'orderId', "data"->>'entryId', "data"->>'eventId');
UPDATE "dead_letters" l
SET "replaced_at" = l."discarded_at", "discarded_at" = NULL
WHERE l."discarded_at" IS NOT NULL AND NOT EXISTS (
    SELECT FROM "audit_entries" a WHERE a."subject" = l."id" AND a."action" = 'discardDeadLetters'
);

DROP INDEX "dead_letters_open";
DROP INDEX "dead_letters_same";
CREATE INDEX "dead_letters_open" ON "dead_letters" ("queue", "job_id")
    WHERE "succeeded_at" IS NULL AND "discarded_at" IS NULL AND "replaced_at" IS NULL;
CREATE INDEX "dead_letters_same" ON "dead_letters" ("queue", md5("data"::text))
    WHERE "succeeded_at" IS NULL AND "discarded_at" IS NULL AND "replaced_at" IS NULL;
-- Open and discarded ones: what a job asks before it works for a subject.
CREATE INDEX "dead_letters_subject" ON "dead_letters" ("queue", "subject")
    WHERE "succeeded_at" IS NULL AND "replaced_at" IS NULL;
