import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Does the work after the test that asks for it; where no test runs yet, after the file or its `describe`. */
export function cleanUp(work: () => unknown): void {
  const after = async () => void (await work())
  // Vitest ignores an `afterAll` within a test.
  if (TestRunner.getCurrentTest()) onTestFinished(after)
  else afterAll(after)
}
