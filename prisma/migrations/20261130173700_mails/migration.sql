-- CreateTable
CREATE TABLE "mails" (
    "event_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "occasion" TEXT NOT NULL DEFAULT '',
    "amount" BIGINT,
    "written_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "taken_to" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),
    "outcome" TEXT,

    CONSTRAINT "mails_pkey" PRIMARY KEY ("event_id","order_id","kind","occasion"),
    CONSTRAINT "mails_kind_check" CHECK ("kind" IN ('CONFIRMED', 'CANCELLED', 'SEATS_GONE', 'REFUNDED')),
    CONSTRAINT "mails_outcome_check" CHECK (("outcome" IS NULL) = ("ended_at" IS NULL)
        AND ("outcome" IS NULL OR "outcome" IN ('SENT', 'REFUSED', 'OVERTAKEN')))
);

-- CreateTable
CREATE TABLE "account_languages" (
    "account_id" TEXT NOT NULL,
    "locale" TEXT NOT NULL,

    CONSTRAINT "account_languages_pkey" PRIMARY KEY ("account_id")
);

-- The mails that have not ended: few, whatever the size of the table.
CREATE INDEX "mails_open" ON "mails" ("due_at") WHERE "ended_at" IS NULL;

-- A trigger, so that every statement that changes an order also writes the mail, in one commit. Its function only calls
-- write_mails(), which prisma/functions holds: a function that a trigger uses cannot be re-created.
CREATE FUNCTION mails_of_order() RETURNS trigger LANGUAGE plpgsql
    -- \x3b is a semicolon: the schema engine would end the statement at one.
    AS E'begin perform write_mails(old, new)\x3b return null\x3b end';

CREATE TRIGGER mails_of_order AFTER UPDATE OF state, payment, refunded ON "orders"
    FOR EACH ROW
    WHEN (NEW."email" IS NOT NULL
        AND (OLD."state", OLD."payment", OLD."refunded") IS DISTINCT FROM (NEW."state", NEW."payment", NEW."refunded"))
    EXECUTE FUNCTION mails_of_order();
