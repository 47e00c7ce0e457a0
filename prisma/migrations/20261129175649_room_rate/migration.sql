-- AlterTable
ALTER TABLE "rooms" ADD COLUMN     "cut_at" TIMESTAMPTZ(3),
ADD COLUMN     "rate" DOUBLE PRECISION,
ADD COLUMN     "rate_changed_at" TIMESTAMPTZ(3),
ADD COLUMN     "rate_reason" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "troubled_rate" DOUBLE PRECISION;

ALTER TABLE "rooms" ADD CONSTRAINT "rooms_rate_check" CHECK (
    "rate" > 0 AND "troubled_rate" > 0 AND ("rate" IS NULL) = ("rate_reason" = '')
);
