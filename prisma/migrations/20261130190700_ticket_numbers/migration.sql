-- Every ticket gets a number within its event, which its id ends with: functions/sell_order.sql. Tickets from before get
-- theirs by the same rule, so their ids change.
ALTER TABLE "tickets" ADD COLUMN "no" INTEGER;

UPDATE "tickets" t
SET "no" = n.no, "id" = 'tkt' || substr(t.event_id, 4) || '_' || n.no
FROM (
    SELECT x.event_id, x.id, x.seat_no - 1 + c.seats * (
            row_number() OVER (PARTITION BY x.event_id, x.seat_no ORDER BY x.voided_at, x.issued_at, x.id) - 1
        ) AS no
    FROM tickets x
    JOIN (SELECT event_id, sum(capacity) AS seats FROM sections GROUP BY event_id) c ON c.event_id = x.event_id
) n
WHERE n.event_id = t.event_id AND n.id = t.id;

ALTER TABLE "tickets" ALTER COLUMN "no" SET NOT NULL;

-- Few tickets are void: the list of them, and the earlier tickets of a seat.
CREATE INDEX "tickets_void" ON "tickets" ("event_id", "seat_no") WHERE "voided_at" IS NOT NULL;
