/** The column in the milliseconds that a cursor and a Date have, see database/clock.ts. No index serves an order by it anyway. */
export const STARTS_AT = "date_trunc('milliseconds', starts_at)"
