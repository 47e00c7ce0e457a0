-- AlterTable
ALTER TABLE "sales" ADD COLUMN     "waitlist_only" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "waitlist_entries" (
    "event_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "no" BIGSERIAL NOT NULL,
    "quantity" INTEGER NOT NULL,
    "section_no" SMALLINT,
    "level_no" SMALLINT,
    "accept_fewer" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'WAITING',
    "hold_id" TEXT,
    "email" TEXT,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "offered_at" TIMESTAMPTZ(3),
    "mailed_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "passed_over" TEXT,
    "passed_over_at" TIMESTAMPTZ(3),

    CONSTRAINT "waitlist_entries_pkey" PRIMARY KEY ("event_id","id")
);

-- CreateIndex
CREATE INDEX "waitlist_entries_account_id_no_idx" ON "waitlist_entries"("account_id", "no");

ALTER TABLE "waitlist_entries" ADD CONSTRAINT "waitlist_entries_check" CHECK (
    "quantity" > 0
    AND CASE "state"
        WHEN 'WAITING' THEN "hold_id" IS NULL AND "ended_at" IS NULL
        WHEN 'OFFERED' THEN "hold_id" IS NOT NULL AND "ended_at" IS NULL
        WHEN 'FULFILLED' THEN "hold_id" IS NOT NULL AND "ended_at" IS NOT NULL
        WHEN 'LAPSED' THEN "hold_id" IS NOT NULL AND "ended_at" IS NOT NULL
        -- Also while it was offered something.
        WHEN 'LEFT' THEN "ended_at" IS NOT NULL
        ELSE false
    END
    AND ("hold_id" IS NULL) = ("offered_at" IS NULL)
    AND ("passed_over" IS NULL) = ("passed_over_at" IS NULL)
    AND ("passed_over" IS NULL OR "passed_over" IN ('TOO_FEW_BACK', 'TICKET_LIMIT'))
);
-- One offer at a time, and one entry of an account that waits: whatever a bug above does, the second is refused here.
CREATE UNIQUE INDEX "waitlist_entries_offered" ON "waitlist_entries" ("event_id") WHERE "state" = 'OFFERED';
CREATE UNIQUE INDEX "waitlist_entries_live_account" ON "waitlist_entries" ("event_id", "account_id")
    WHERE "state" IN ('WAITING', 'OFFERED');
CREATE INDEX "waitlist_entries_waiting" ON "waitlist_entries" ("event_id", "no") WHERE "state" = 'WAITING';
