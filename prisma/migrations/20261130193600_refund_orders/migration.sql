-- Ops refund an order, whole or by ticket, and all orders of an event that is called off.
ALTER TABLE "sales" ADD COLUMN "return_fees" BOOLEAN NOT NULL DEFAULT true;

ALTER TABLE "refunds" ADD COLUMN "input_hash" TEXT;
ALTER TABLE "refunds" DROP CONSTRAINT "refunds_check";
-- A refund of nothing is done at once: of a free ticket, of kept fees alone, and of an order whose authorization is cancelled.
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_check" CHECK (
    "amount" >= 0 AND "state" IN ('OWED', 'DONE', 'REFUSED')
    AND ("state" <> 'DONE' OR "provider_id" IS NOT NULL OR "amount" = 0) AND ("amount" > 0 OR "state" = 'DONE')
);

CREATE TABLE "event_refunds" (
    "event_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "per_second" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),
    "worked_at" TIMESTAMPTZ(6),
    "up_to" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "event_refunds_pkey" PRIMARY KEY ("event_id")
);
ALTER TABLE "event_refunds" ADD CONSTRAINT "event_refunds_check" CHECK ("per_second" BETWEEN 1 AND 100);
CREATE INDEX "event_refunds_running" ON "event_refunds" ("event_id") WHERE "finished_at" IS NULL;
