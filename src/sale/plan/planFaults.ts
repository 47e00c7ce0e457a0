import { createFaultChecks, type FaultChecks, type Path } from '../inputFaults.ts'

/** The faults of a plan, each kind once: a mistake of an editor repeats itself at every seat. */
export interface PlanFaults extends FaultChecks {
  /** Adds the faults to those of the input. The first of a kind has its path, and says how many more there are. */
  reportTo(faults: FaultChecks): void
}

/** Two faults are of one kind if their messages and the names in their paths are the same. */
export function createPlanFaults(): PlanFaults {
  const kinds = new Map<string, { path: Path; message: string; count: number }>()

  function add(path: Path, message: string) {
    const kind = `${path.filter((part) => typeof part === 'string').join('.')} ${message}`
    const known = kinds.get(kind)
    if (known) known.count++
    else kinds.set(kind, { path, message, count: 1 })
  }

  return {
    ...createFaultChecks(add),
    reportTo(faults) {
      for (const { path, message, count } of kinds.values())
        faults.add(path, count === 1 ? message : `${message} (and ${count - 1} more like it)`)
      kinds.clear()
    },
  }
}
