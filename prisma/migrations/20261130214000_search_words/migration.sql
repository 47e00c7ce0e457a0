-- The words of a text as the search compares them: without case and accents, in every locale of the database. Names and
-- searches are cut and folded here alone, so a word is found as it is written.
CREATE FUNCTION "search_words"("text" text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN (
    SELECT coalesce(array_agg(left("word"[1], 100)), '{}')
    FROM regexp_matches(
        -- Letters with a stroke and the like have no accent that normalize() could take off.
        translate(
            normalize(
                regexp_replace(
                    normalize(casefold("text" COLLATE "pg_unicode_fast"), NFKD),
                    U&'[\0300-\036F]', '', 'g'
                ),
                NFC
            ),
            'øłđıħŧ', 'oldiht'
        ) COLLATE "pg_unicode_fast",
        -- A vowel sign of Devanagari or Thai is no letter, and belongs to its word.
        U&'[[:alnum:]\0900-\0903\093A-\094F\0E31\0E34-\0E3A\0E47-\0E4E\064B-\0652]+', 'g'
    ) AS "word"
);

-- What the search of events looks in: 'A' weighs more than 'B'. PostgreSQL counts no position above 16,383.
CREATE OR REPLACE FUNCTION "event_search"("name" text, "performers" text[], "venue" text, "city" text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT coalesce(string_agg("word" || ':' || least("at", 16383) || "weight", ' ' ORDER BY "weight", "at"), '')::tsvector
    FROM (
        SELECT "word", "at", 'A' AS "weight"
        FROM unnest(search_words("name" || ' ' || array_to_string("performers", ' '))) WITH ORDINALITY AS x("word", "at")
        UNION ALL
        SELECT "word", "at", 'B'
        FROM unnest(search_words("venue" || ' ' || coalesce("city", ''))) WITH ORDINALITY AS x("word", "at")
    ) AS "words"
);
REINDEX INDEX "events_search";
