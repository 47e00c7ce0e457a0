-- Every time keeps its microseconds. A time that is rounded to milliseconds is up to 0.5 ms in the future when it is
-- written as now(), and "has ended" is false for that long. No table is rewritten but "rooms", which is small (an array):
-- indexes with a predicate or an expression are built again.
-- AlterTable
ALTER TABLE "admissions" ALTER COLUMN "admitted_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "expires_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "ended_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "audit_entries" ALTER COLUMN "at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "calls" ALTER COLUMN "at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "dead_letters" ALTER COLUMN "failed_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "replayed_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "replay_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "succeeded_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "discarded_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "events" ALTER COLUMN "starts_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "created_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "holds" ALTER COLUMN "created_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "expires_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "extended_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "ended_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "orders" ALTER COLUMN "authorized_until" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "placed_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "changed_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "settler_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "outbox" ALTER COLUMN "created_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "places" ALTER COLUMN "joined_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "changed_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "left_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "rooms" ALTER COLUMN "ticked_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "cut_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "rate_changed_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "opens_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "chance_marks" SET DATA TYPE TIMESTAMPTZ(6)[];

-- AlterTable
ALTER TABLE "sales" ALTER COLUMN "pre_queue_opens_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "opens_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "ends_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "sandbox_payments" ALTER COLUMN "created_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "seats" ALTER COLUMN "held_until" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "tickets" ALTER COLUMN "issued_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "voided_at" SET DATA TYPE TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "waitlist_entries" ALTER COLUMN "joined_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "offered_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "mailed_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "ended_at" SET DATA TYPE TIMESTAMPTZ(6),
ALTER COLUMN "passed_over_at" SET DATA TYPE TIMESTAMPTZ(6);
