-- AlterTable
ALTER TABLE "holds" ADD COLUMN     "address" BYTEA,
ADD COLUMN     "device" BYTEA,
ADD COLUMN     "quantity" INTEGER;

UPDATE "holds" h SET "quantity" = (
    SELECT count(*) FROM "hold_items" i WHERE i."event_id" = h."event_id" AND i."hold_id" = h."id"
);
ALTER TABLE "holds" ALTER COLUMN "quantity" SET NOT NULL;

-- AlterTable
ALTER TABLE "sales" ADD COLUMN     "held_per_address" INTEGER,
ADD COLUMN     "held_per_device" INTEGER;

-- Sales from before get the defaults of src/sale/events/saleInput.ts.
UPDATE "sales" s SET
    "held_per_device" = 5 * s."ticket_limit",
    "held_per_address" = greatest(25 * s."ticket_limit", (
        SELECT ceil(sum(x."capacity") / 20.0) FROM "sections" x WHERE x."event_id" = s."event_id"
    ));
ALTER TABLE "sales" ALTER COLUMN "held_per_address" SET NOT NULL,
ALTER COLUMN "held_per_device" SET NOT NULL;

-- An origin is stored only for as long as its hold lives.
ALTER TABLE "holds" ADD CONSTRAINT "holds_origin_check" CHECK (
    ("outcome" IS NULL OR ("address" IS NULL AND "device" IS NULL))
    AND "quantity" >= 0
);
ALTER TABLE "sales" ADD CONSTRAINT "sales_origin_check" CHECK ("held_per_address" > 0 AND "held_per_device" > 0);
-- The live holds of an origin. Their end comes last, so that no other index can serve as well: see functions/check_origin.sql.
CREATE INDEX "holds_of_address" ON "holds" ("event_id", "address", "expires_at")
    WHERE "ended_at" IS NULL AND "address" IS NOT NULL;
CREATE INDEX "holds_of_device" ON "holds" ("event_id", "device", "expires_at")
    WHERE "ended_at" IS NULL AND "device" IS NOT NULL;
