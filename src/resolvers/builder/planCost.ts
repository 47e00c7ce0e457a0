/** The complexity of a field that reads the plan of an event: one operation may read those of eighty events at most. */
export const PLAN_COST = 60
