-- The words of each event, stored: the rank of a match was computed from the names again at every search, for each event that
-- matched.
ALTER TABLE "events"
    ADD COLUMN "search" tsvector NOT NULL GENERATED ALWAYS AS (event_search("name", "performers", "venue_name", "venue_city")) STORED;
DROP INDEX "events_search";
CREATE INDEX "events_search" ON "events" USING gin ("search");
