-- A payment has an intent at its provider, which is stored before it can hold money. An order knows what the provider still
-- has to do. Refunds are rows of their own.

ALTER TABLE "sales" ADD COLUMN "payment_minutes" INTEGER NOT NULL DEFAULT 15;
ALTER TABLE "sales" ADD CONSTRAINT "sales_payment_minutes_check" CHECK ("payment_minutes" BETWEEN 1 AND 60);

ALTER TABLE "holds" ADD COLUMN "unpaid_until" TIMESTAMPTZ(6);

ALTER TABLE "orders" DROP CONSTRAINT "orders_check";
DROP INDEX "orders_unsettled_money";
ALTER TABLE "orders" RENAME COLUMN "authorization_id" TO "intent_id";
ALTER TABLE "orders" ADD COLUMN "money_due" TEXT,
    ADD COLUMN "pay_until" TIMESTAMPTZ(6),
    ADD COLUMN "next_action" JSONB;
UPDATE "orders" SET "pay_until" = "placed_at" + interval '15 minutes' WHERE "state" = 'PAYING';
UPDATE "orders" SET "money_due" = CASE "state" WHEN 'CONFIRMED' THEN 'CAPTURE' ELSE 'CANCEL' END
    WHERE "payment" = 'AUTHORIZED' AND "state" <> 'PAYING';
ALTER TABLE "orders" ADD CONSTRAINT "orders_check" CHECK (
    "amount" >= 0 AND "refunded" BETWEEN 0 AND "amount"
    AND CASE "state"
        WHEN 'PAYING' THEN "payment" = 'NONE' AND "money_due" IS NULL
        -- What costs nothing is confirmed without any payment.
        WHEN 'CONFIRMED' THEN ("payment" = 'AUTHORIZED') = ("money_due" IS NOT DISTINCT FROM 'CAPTURE')
            AND "money_due" IS DISTINCT FROM 'CANCEL'
            AND ("payment" IN ('AUTHORIZED', 'CAPTURED', 'PARTIALLY_REFUNDED', 'REFUND_OWED', 'REFUNDED')
                OR ("payment" = 'NONE' AND "amount" = 0))
        WHEN 'DECLINED' THEN "payment" IN ('NONE', 'VOIDED', 'PARTIALLY_REFUNDED', 'REFUND_OWED', 'REFUNDED')
            AND "money_due" IS DISTINCT FROM 'CAPTURE'
        WHEN 'SEATS_GONE' THEN "payment" <> 'CAPTURED' AND "money_due" IS DISTINCT FROM 'CAPTURE'
        WHEN 'CANCELLED' THEN "payment" <> 'CAPTURED' AND "money_due" IS DISTINCT FROM 'CAPTURE'
        ELSE false
    END
    AND "payment" IN ('NONE', 'AUTHORIZED', 'CAPTURED', 'VOIDED', 'PARTIALLY_REFUNDED', 'REFUND_OWED', 'REFUNDED')
    AND ("money_due" IS NULL OR "money_due" IN ('CAPTURE', 'CANCEL') AND "intent_id" IS NOT NULL)
    AND ("payment" = 'NONE' OR "intent_id" IS NOT NULL)
    -- The token of the card and the secret of the action are kept only for as long as the payment may go on.
    AND ("state" = 'PAYING' OR "payment_method" IS NULL AND "next_action" IS NULL)
);
-- An intent belongs to one order. Messages of the provider find the order by it.
CREATE UNIQUE INDEX "orders_provider_intent_id_key" ON "orders"("provider", "intent_id");
-- For the settler: settled orders whose money does not agree with them yet.
CREATE INDEX "orders_money_due" ON "orders" (coalesce("settler_at", "changed_at")) WHERE "money_due" IS NOT NULL;

CREATE TABLE "refunds" (
    "event_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'OWED',
    "refusals" INTEGER NOT NULL DEFAULT 0,
    "refusal" TEXT,
    "provider_id" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settler_at" TIMESTAMPTZ(6),

    CONSTRAINT "refunds_pkey" PRIMARY KEY ("event_id","id")
);
CREATE UNIQUE INDEX "refunds_event_id_order_id_idempotency_key_key" ON "refunds"("event_id", "order_id", "idempotency_key");
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_check" CHECK (
    "amount" > 0 AND "state" IN ('OWED', 'DONE', 'REFUSED') AND ("state" <> 'DONE' OR "provider_id" IS NOT NULL)
);
CREATE INDEX "refunds_open" ON "refunds" (coalesce("settler_at", "changed_at")) WHERE "state" <> 'DONE';

UPDATE "outbox" SET "job" = 'cancelPayment' WHERE "job" = 'voidPayment';

ALTER TABLE "sandbox_payments" RENAME TO "sandbox_payments_before";
ALTER INDEX "sandbox_payments_pkey" RENAME TO "sandbox_payments_before_pkey";
CREATE TABLE "sandbox_payments" (
    "intent_id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "payment_method" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "decline_reason" TEXT,
    "captured" BIGINT NOT NULL DEFAULT 0,
    "return_url" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "confirmed_at" TIMESTAMPTZ(6),

    CONSTRAINT "sandbox_payments_pkey" PRIMARY KEY ("intent_id")
);
CREATE INDEX "sandbox_payments_event_id_intent_id_idx" ON "sandbox_payments"("event_id", "intent_id");
INSERT INTO "sandbox_payments" ("intent_id", "order_id", "event_id", "payment_method", "amount", "currency", "state",
        "decline_reason", "captured", "created_at", "confirmed_at")
    SELECT coalesce("authorization_id", 'sandbox_' || "order_id"), "order_id", 'evt_' || split_part("order_id", '_', 2),
        "payment_method", "amount", "currency",
        CASE "state" WHEN 'pending' THEN 'processing' WHEN 'voided' THEN 'cancelled' ELSE "state" END,
        "decline_reason", CASE "state" WHEN 'captured' THEN "amount" ELSE 0 END, "created_at", "created_at"
    FROM "sandbox_payments_before";
DROP TABLE "sandbox_payments_before";
ALTER TABLE "sandbox_payments" ADD CONSTRAINT "sandbox_payments_check" CHECK (
    "state" IN ('unconfirmed', 'processing', 'action_required', 'authorized', 'captured', 'declined', 'cancelled')
    AND ("state" = 'declined') = ("decline_reason" IS NOT NULL)
    AND "captured" BETWEEN 0 AND "amount" AND ("captured" > 0) = ("state" = 'captured')
);

CREATE TABLE "sandbox_refunds" (
    "refund_id" TEXT NOT NULL,
    "intent_id" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "state" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sandbox_refunds_pkey" PRIMARY KEY ("refund_id")
);
CREATE INDEX "sandbox_refunds_intent_id_idx" ON "sandbox_refunds"("intent_id");
ALTER TABLE "sandbox_refunds" ADD CONSTRAINT "sandbox_refunds_check" CHECK (
    "amount" > 0 AND "state" IN ('done', 'pending', 'failed')
);

CREATE TABLE "sandbox_outages" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "since" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sandbox_outages_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "sandbox_outages" ADD CONSTRAINT "sandbox_outages_check" CHECK ("id" = 1);
