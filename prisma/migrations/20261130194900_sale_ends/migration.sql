-- A sale ends when its event begins, at the latest: an event that is over sells nothing.
UPDATE "sales" s SET "ends_at" = e."starts_at"
FROM "events" e
WHERE e."id" = s."event_id" AND (s."ends_at" IS NULL OR s."ends_at" > e."starts_at");
