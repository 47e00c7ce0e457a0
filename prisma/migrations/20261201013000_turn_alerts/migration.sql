-- CreateTable
CREATE TABLE "turn_alerts" (
    "event_id" TEXT NOT NULL,
    "arrival" INTEGER NOT NULL,
    "target" TEXT NOT NULL,
    "device" BYTEA NOT NULL,
    "place" INTEGER,
    "moment" TEXT,
    "sending" TEXT,
    "send_at" TIMESTAMPTZ(6),
    "send_until" TIMESTAMPTZ(6),
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "locale" TEXT NOT NULL,
    "email" TEXT,
    "push" JSONB,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "turn_alerts_pkey" PRIMARY KEY ("event_id","arrival","target"),
    CONSTRAINT "turn_alerts_moment_check" CHECK ("moment" IN ('SOON', 'TURN')),
    CONSTRAINT "turn_alerts_sending_check" CHECK ("sending" IN ('SOON', 'TURN') AND "send_until" IS NOT NULL OR "sending" IS NULL AND "send_at" IS NULL),
    CONSTRAINT "turn_alerts_channel_check" CHECK (("email" IS NULL) <> ("push" IS NULL) AND ("email" IS NULL) = ("target" <> ''))
);

-- A tick reads these alone: the alerts that wait for a place, from the lowest, those without a place yet, those to send, and
-- those that a run took and did not end.
CREATE INDEX "turn_alerts_waiting" ON "turn_alerts" ("event_id", "moment", "place") WHERE "moment" IS NOT NULL AND "place" IS NOT NULL;
CREATE INDEX "turn_alerts_unplaced" ON "turn_alerts" ("event_id", "arrival") WHERE "place" IS NULL;
CREATE INDEX "turn_alerts_to_send" ON "turn_alerts" ("event_id", "send_at") WHERE "send_at" IS NOT NULL;
CREATE INDEX "turn_alerts_taken" ON "turn_alerts" ("event_id", "send_until") WHERE "send_at" IS NULL AND "sending" IS NOT NULL;
