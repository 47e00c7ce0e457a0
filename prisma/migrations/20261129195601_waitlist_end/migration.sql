-- Who still waits when the sale ends has lapsed without an offer.
ALTER TABLE "waitlist_entries" DROP CONSTRAINT "waitlist_entries_check";
ALTER TABLE "waitlist_entries" ADD CONSTRAINT "waitlist_entries_check" CHECK (
    "quantity" > 0
    AND CASE "state"
        WHEN 'WAITING' THEN "hold_id" IS NULL AND "ended_at" IS NULL
        WHEN 'OFFERED' THEN "hold_id" IS NOT NULL AND "ended_at" IS NULL
        WHEN 'FULFILLED' THEN "hold_id" IS NOT NULL AND "ended_at" IS NOT NULL
        -- LAPSED: an offer that was not taken, or none until the end. LEFT: also while it was offered something.
        WHEN 'LAPSED' THEN "ended_at" IS NOT NULL
        WHEN 'LEFT' THEN "ended_at" IS NOT NULL
        ELSE false
    END
    AND ("hold_id" IS NULL) = ("offered_at" IS NULL)
    AND ("passed_over" IS NULL) = ("passed_over_at" IS NULL)
    AND ("passed_over" IS NULL OR "passed_over" IN ('TOO_FEW_BACK', 'TICKET_LIMIT'))
);
