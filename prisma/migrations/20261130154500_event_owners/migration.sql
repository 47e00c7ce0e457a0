-- CreateTable
CREATE TABLE "event_owners" (
    "event_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,

    CONSTRAINT "event_owners_pkey" PRIMARY KEY ("event_id","account_id")
);

-- The owner of an event from before is the account that created it. Without that entry only ops may change the event.
INSERT INTO "event_owners" ("event_id", "account_id")
SELECT DISTINCT "event_id", "account_id" FROM "audit_entries"
WHERE "action" = 'createEvent' AND "event_id" IS NOT NULL;
