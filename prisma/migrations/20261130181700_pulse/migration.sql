-- CreateTable
CREATE TABLE "pulse" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "beat_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "pulse_pkey" PRIMARY KEY ("id")
);

-- AlterTable
ALTER TABLE "holds" ADD COLUMN "outage_until" TIMESTAMPTZ(6),
ADD COLUMN "outage_seconds" DOUBLE PRECISION;

-- One row. It is rewritten each second and read by nearly every statement: a nearly empty page is pruned at almost every read, so
-- that a read passes few old versions.
ALTER TABLE "pulse" ADD CONSTRAINT "pulse_check" CHECK ("id" = 1);
ALTER TABLE "pulse" SET (fillfactor = 10);

ALTER TABLE "holds" ADD CONSTRAINT "holds_outage_check" CHECK (
    ("outage_until" IS NULL) = ("outage_seconds" IS NULL) AND "outage_seconds" > 0 AND "outage_seconds" <= 600
);
