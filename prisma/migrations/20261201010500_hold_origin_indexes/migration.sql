-- Only live holds have an origin (holds_origin_check), so the column alone says that a hold lives. A query that does not name
-- "ended_at" has no other index to choose: with "ended_at" a planner without statistics chose holds_alive, and each hold read
-- all live holds of its event (test/sql/holds/holds.test.ts).
DROP INDEX "holds_of_address";
DROP INDEX "holds_of_device";
CREATE INDEX "holds_of_address" ON "holds" ("event_id", "address", "expires_at") WHERE "address" IS NOT NULL;
CREATE INDEX "holds_of_device" ON "holds" ("event_id", "device", "expires_at") WHERE "device" IS NOT NULL;
