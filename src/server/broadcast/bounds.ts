/**
 * Bounds of the groups of one process. Every change of a sale or a section is executed once for each of its groups, so the
 * number of groups bounds the work of a change. Clients of one release share one selection: a subject has a handful.
 */
export const GROUP_BOUNDS = {
  /** Selections of one subject, which is a sale or a section. A change of a large sale then costs some 10 ms. */
  ofSubject: 64,
  /** Of those, selections that clients of one address brought. */
  ofSubjectByAddress: 4,
  /** Groups that clients of one address brought, of all subjects: the fans behind one address look at many events. */
  byAddress: 500,
  /** Groups in all: a few sections of each of the 1,300 events that the load test has on sale at once. */
  all: 10_000,
} as const
