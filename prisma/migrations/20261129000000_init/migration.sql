-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "performers" TEXT[],
    "venue_name" TEXT NOT NULL,
    "venue_city" TEXT,
    "latitude" DOUBLE PRECISION,
    "longitude" DOUBLE PRECISION,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "time_zone" TEXT NOT NULL,
    "plan_width" DOUBLE PRECISION,
    "plan_height" DOUBLE PRECISION,
    "currency" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sections" (
    "event_id" TEXT NOT NULL,
    "no" SMALLINT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "capacity" INTEGER NOT NULL,
    "first_seat" INTEGER NOT NULL,
    "level_nos" SMALLINT[],
    "outline" JSONB NOT NULL,
    "layout" JSONB NOT NULL,
    "layout_hash" TEXT NOT NULL,

    CONSTRAINT "sections_pkey" PRIMARY KEY ("event_id","no")
);

-- CreateTable
CREATE TABLE "price_levels" (
    "event_id" TEXT NOT NULL,
    "no" SMALLINT NOT NULL,
    "key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT,
    "price" BIGINT NOT NULL,
    "fee" BIGINT NOT NULL,

    CONSTRAINT "price_levels_pkey" PRIMARY KEY ("event_id","no")
);

-- CreateTable
CREATE TABLE "sales" (
    "event_id" TEXT NOT NULL,
    "pre_queue_opens_at" TIMESTAMPTZ(3) NOT NULL,
    "opens_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "waiting_room" BOOLEAN NOT NULL,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "ticket_limit" INTEGER NOT NULL,
    "hold_seconds" INTEGER NOT NULL,
    "admission_seconds" INTEGER NOT NULL,
    "turn_seconds" INTEGER NOT NULL,
    "shoppers_per_order" DOUBLE PRECISION NOT NULL,
    "holds_per_minute" INTEGER NOT NULL,
    "unpaid_holds" INTEGER NOT NULL,
    "allow_orphan_seats" BOOLEAN NOT NULL,
    "seat_picking" BOOLEAN NOT NULL,
    "challenge" TEXT NOT NULL,

    CONSTRAINT "sales_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "rooms" (
    "event_id" TEXT NOT NULL,
    "seed" BYTEA NOT NULL,
    "commitment" TEXT NOT NULL,
    "beacon" TEXT NOT NULL DEFAULT '',
    "size" INTEGER,
    "rate_ceiling" DOUBLE PRECISION NOT NULL,
    "paused" BOOLEAN NOT NULL DEFAULT false,
    "admitted_up_to" INTEGER NOT NULL DEFAULT 0,
    "tick" BIGINT NOT NULL DEFAULT 0,
    "ticked_at" TIMESTAMPTZ(3),
    "worked" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "inside" INTEGER NOT NULL DEFAULT 0,
    "seats_per_place" DOUBLE PRECISION NOT NULL DEFAULT 2.5,
    "unpaid_share" DOUBLE PRECISION NOT NULL DEFAULT 0.3,
    "places_copy" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "rooms_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "places" (
    "event_id" TEXT NOT NULL,
    "arrival" INTEGER NOT NULL,
    "account" BYTEA NOT NULL,
    "device" BYTEA NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_at" TIMESTAMPTZ(3),
    "left_at" TIMESTAMPTZ(3),

    CONSTRAINT "places_pkey" PRIMARY KEY ("event_id","arrival")
);

-- CreateTable
CREATE TABLE "calls" (
    "event_id" TEXT NOT NULL,
    "tick" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "admitted_up_to" INTEGER NOT NULL,
    "worked" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "calls_pkey" PRIMARY KEY ("event_id","tick")
);

-- CreateTable
CREATE TABLE "admissions" (
    "event_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "arrival" INTEGER NOT NULL,
    "place" INTEGER NOT NULL,
    "device" BYTEA NOT NULL,
    "admitted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "admissions_pkey" PRIMARY KEY ("event_id","account_id")
);

-- CreateTable
CREATE TABLE "seats" (
    "event_id" TEXT NOT NULL,
    "no" INTEGER NOT NULL,
    "section_no" SMALLINT NOT NULL,
    "level_no" SMALLINT NOT NULL,
    "key" TEXT NOT NULL,
    "status" SMALLINT NOT NULL DEFAULT 0,
    "hold_id" TEXT,
    "held_until" TIMESTAMPTZ(3),
    "order_id" TEXT,
    "revision" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "seats_pkey" PRIMARY KEY ("event_id","no")
);

-- CreateTable
CREATE TABLE "holds" (
    "event_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "input_hash" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "extended_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "outcome" TEXT,

    CONSTRAINT "holds_pkey" PRIMARY KEY ("event_id","id")
);

-- CreateTable
CREATE TABLE "hold_items" (
    "event_id" TEXT NOT NULL,
    "hold_id" TEXT NOT NULL,
    "seat_no" INTEGER NOT NULL,
    "level_no" SMALLINT NOT NULL,
    "price" BIGINT NOT NULL,
    "fee" BIGINT NOT NULL,

    CONSTRAINT "hold_items_pkey" PRIMARY KEY ("event_id","hold_id","seat_no")
);

-- CreateTable
CREATE TABLE "orders" (
    "event_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "hold_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "input_hash" TEXT NOT NULL,
    "email" TEXT,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "payment" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "payment_method" TEXT,
    "authorization_id" TEXT,
    "authorized_until" TIMESTAMPTZ(3),
    "decline_reason" TEXT,
    "refunded" BIGINT NOT NULL DEFAULT 0,
    "placed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settler_at" TIMESTAMPTZ(3),

    CONSTRAINT "orders_pkey" PRIMARY KEY ("event_id","id")
);

-- CreateTable
CREATE TABLE "tickets" (
    "event_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "seat_no" INTEGER NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "voided_at" TIMESTAMPTZ(3),

    CONSTRAINT "tickets_pkey" PRIMARY KEY ("event_id","id")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" BIGSERIAL NOT NULL,
    "job" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dead_letters" (
    "id" TEXT NOT NULL,
    "queue" TEXT NOT NULL,
    "job" TEXT NOT NULL,
    "job_id" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "error" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "failed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "replays" INTEGER NOT NULL DEFAULT 0,
    "replayed_at" TIMESTAMPTZ(3),
    "replay_at" TIMESTAMPTZ(3),
    "succeeded_at" TIMESTAMPTZ(3),
    "discarded_at" TIMESTAMPTZ(3),

    CONSTRAINT "dead_letters_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "event_id" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "account_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "detail" JSONB NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sandbox_payments" (
    "order_id" TEXT NOT NULL,
    "authorization_id" TEXT,
    "payment_method" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "decline_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sandbox_payments_pkey" PRIMARY KEY ("order_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "events_slug_key" ON "events"("slug");

-- CreateIndex
CREATE INDEX "events_starts_at_id_idx" ON "events"("starts_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "sections_event_id_key_key" ON "sections"("event_id", "key");

-- CreateIndex
CREATE UNIQUE INDEX "price_levels_event_id_key_key" ON "price_levels"("event_id", "key");

-- CreateIndex
CREATE INDEX "calls_event_id_admitted_up_to_idx" ON "calls"("event_id", "admitted_up_to");

-- CreateIndex
CREATE INDEX "admissions_event_id_expires_at_idx" ON "admissions"("event_id", "expires_at");

-- CreateIndex
CREATE INDEX "admissions_event_id_place_idx" ON "admissions"("event_id", "place");

-- CreateIndex
CREATE UNIQUE INDEX "seats_event_id_key_key" ON "seats"("event_id", "key");

-- CreateIndex
CREATE UNIQUE INDEX "holds_event_id_account_id_idempotency_key_key" ON "holds"("event_id", "account_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "orders_account_id_placed_at_id_idx" ON "orders"("account_id", "placed_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "orders_event_id_account_id_idempotency_key_key" ON "orders"("event_id", "account_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "tickets_event_id_order_id_idx" ON "tickets"("event_id", "order_id");

-- CreateIndex
CREATE INDEX "tickets_event_id_account_id_idx" ON "tickets"("event_id", "account_id");

-- CreateIndex
CREATE INDEX "dead_letters_failed_at_id_idx" ON "dead_letters"("failed_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "dead_letters_queue_job_id_key" ON "dead_letters"("queue", "job_id");

-- CreateIndex
CREATE INDEX "audit_entries_event_id_at_id_idx" ON "audit_entries"("event_id", "at", "id");

-- CreateIndex
CREATE INDEX "audit_entries_at_id_idx" ON "audit_entries"("at", "id");

-- Below: what Prisma's schema language cannot say.

-- What the search of events looks in. Immutable for the index, which `array_to_string` alone is not declared to be.
CREATE FUNCTION event_search("name" text, "performers" text[], "venue" text, "city" text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(to_tsvector('simple', "name"), 'A')
    || setweight(to_tsvector('simple', array_to_string("performers", ' ')), 'A')
    || setweight(to_tsvector('simple', "venue" || ' ' || coalesce("city", '')), 'B');
CREATE INDEX "events_search" ON "events" USING gin (event_search("name", "performers", "venue_name", "venue_city"));

-- Seats are rewritten in place, several times each: room on the page for HOT updates, and no index on
-- a column that changes.
ALTER TABLE "seats" SET (fillfactor = 60);
ALTER TABLE "admissions" SET (fillfactor = 70);

ALTER TABLE "seats" ADD CONSTRAINT "seats_state_check" CHECK (
    CASE "status"
        WHEN 0 THEN "hold_id" IS NULL AND "held_until" IS NULL AND "order_id" IS NULL
        WHEN 1 THEN "hold_id" IS NOT NULL AND "held_until" IS NOT NULL AND "order_id" IS NULL
        WHEN 2 THEN "hold_id" IS NULL AND "held_until" IS NULL AND "order_id" IS NOT NULL
        WHEN 3 THEN "hold_id" IS NULL AND "held_until" IS NULL AND "order_id" IS NULL
        ELSE false
    END
);

ALTER TABLE "sections" ADD CONSTRAINT "sections_kind_check" CHECK ("kind" IN ('SEATED', 'GENERAL_ADMISSION'));
ALTER TABLE "price_levels" ADD CONSTRAINT "price_levels_money_check" CHECK ("price" >= 0 AND "fee" >= 0);

ALTER TABLE "sales" ADD CONSTRAINT "sales_check" CHECK (
    "pre_queue_opens_at" <= "opens_at" AND ("ends_at" IS NULL OR "opens_at" < "ends_at")
    AND "ticket_limit" > 0 AND "hold_seconds" > 0 AND "admission_seconds" > 0 AND "turn_seconds" > 0
    AND "shoppers_per_order" > 0 AND "holds_per_minute" > 0 AND "unpaid_holds" > 0
    AND "challenge" IN ('NEVER', 'SUSPICIOUS', 'ALWAYS')
);

ALTER TABLE "rooms" ADD CONSTRAINT "rooms_check" CHECK (
    "admitted_up_to" >= 0 AND "rate_ceiling" >= 0 AND octet_length("seed") = 32
);
ALTER TABLE "places" ADD CONSTRAINT "places_check" CHECK (
    "arrival" > 0 AND octet_length("account") = 12 AND octet_length("device") = 8
);
-- One place an account: whatever Redis has lost or a bug above this line does, the second is refused here.
CREATE UNIQUE INDEX "places_live_account" ON "places" ("event_id", "account") WHERE "left_at" IS NULL;
-- The few places that moved or were given up: what every server keeps in memory.
CREATE INDEX "places_changed" ON "places" ("event_id", "changed_at") WHERE "changed_at" IS NOT NULL;

ALTER TABLE "holds" ADD CONSTRAINT "holds_check" CHECK (
    "amount" >= 0 AND ("outcome" IS NULL) = ("ended_at" IS NULL)
    AND ("outcome" IS NULL OR "outcome" IN ('RELEASED', 'EXPIRED', 'SOLD'))
);
-- The sweeper's: holds alive, by their end.
CREATE INDEX "holds_alive" ON "holds" ("event_id", "expires_at") WHERE "ended_at" IS NULL;

ALTER TABLE "orders" ADD CONSTRAINT "orders_check" CHECK (
    "amount" >= 0 AND "refunded" BETWEEN 0 AND "amount"
    AND CASE "state"
        WHEN 'PAYING' THEN "payment" IN ('NONE', 'AUTHORIZED')
        -- What costs nothing is confirmed without any payment.
        WHEN 'CONFIRMED' THEN "payment" IN ('AUTHORIZED', 'CAPTURED', 'PARTIALLY_REFUNDED')
            OR ("payment" = 'NONE' AND "amount" = 0)
        WHEN 'DECLINED' THEN "payment" IN ('NONE', 'VOIDED')
        WHEN 'SEATS_GONE' THEN "payment" IN ('NONE', 'AUTHORIZED', 'VOIDED', 'REFUNDED')
        WHEN 'CANCELLED' THEN "payment" IN ('NONE', 'AUTHORIZED', 'VOIDED', 'REFUNDED')
        ELSE false
    END
    AND ("payment" = 'NONE' OR "authorization_id" IS NOT NULL)
    -- The card's token is kept only for as long as an authorize may have to be sent again.
    AND ("state" = 'PAYING' OR "payment_method" IS NULL)
);
-- One order per hold that is paying, has bought it, also where the purchase was undone later, or found its seats gone.
CREATE UNIQUE INDEX "orders_live_hold" ON "orders" ("event_id", "hold_id")
    WHERE "state" IN ('PAYING', 'CONFIRMED', 'CANCELLED', 'SEATS_GONE');
-- The settler's: orders that wait, and settled orders whose money does not agree with them yet.
CREATE INDEX "orders_paying" ON "orders" (coalesce("settler_at", "changed_at")) WHERE "state" = 'PAYING';
CREATE INDEX "orders_unsettled_money" ON "orders" (coalesce("settler_at", "changed_at"))
    WHERE "state" <> 'PAYING' AND "payment" = 'AUTHORIZED';

ALTER TABLE "sandbox_payments" ADD CONSTRAINT "sandbox_payments_check" CHECK (
    "state" IN ('pending', 'authorized', 'captured', 'voided', 'declined')
    AND ("state" = 'declined') = ("decline_reason" IS NOT NULL)
);

-- A seat is sold once: whatever a bug above this line does, the second ticket is refused here.
CREATE UNIQUE INDEX "tickets_live_seat" ON "tickets" ("event_id", "seat_no") WHERE "voided_at" IS NULL;

-- Few of the letters are open: what the sweep looks at, and those that a later one with the same data stands for.
CREATE INDEX "dead_letters_open" ON "dead_letters" ("queue", "job_id")
    WHERE "succeeded_at" IS NULL AND "discarded_at" IS NULL;
CREATE INDEX "dead_letters_same" ON "dead_letters" ("queue", md5("data"::text))
    WHERE "succeeded_at" IS NULL AND "discarded_at" IS NULL;
CREATE INDEX "dead_letters_due" ON "dead_letters" ("replay_at") WHERE "replay_at" IS NOT NULL;
