-- A room from before this column has an opening that is past: its line is frozen once its sale is open too.
ALTER TABLE "rooms" ADD COLUMN     "beacon_source" TEXT,
ADD COLUMN     "opens_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now();
ALTER TABLE "rooms" ALTER COLUMN "opens_at" DROP DEFAULT;

-- Where somebody was called before there were draws, everybody keeps the place by arrival.
UPDATE "rooms" SET "size" = 0 WHERE "size" IS NULL AND "admitted_up_to" > 0;

-- No public randomness comes unannounced, or before the line is frozen, and nobody is called before both.
ALTER TABLE "rooms" ADD CONSTRAINT "rooms_draw_check" CHECK (
    "size" >= 0
    AND ("beacon" = '' OR ("beacon_source" IS NOT NULL AND "size" IS NOT NULL))
    AND ("admitted_up_to" = 0 OR ("size" IS NOT NULL AND ("beacon_source" IS NULL OR "beacon" <> '')))
);
