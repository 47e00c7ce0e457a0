import { afterAll, describe, expect, test } from 'vitest'
import { LONG } from '../long.ts'
import type { Network } from './network.ts'

const NO_CANCEL = 'it cancels no payment that its network has yet to decide'
const ANY_CANCEL = 'it cancels a payment in any state'
const NO_PAGE_END = 'it sets no end to the action of a buyer'
const ANY_AMOUNT = 'it takes any amount of the currency'

/** The rows of each table that a provider cannot have, with the reason. */
const ABSENT: Readonly<Record<string, Readonly<Record<Network['name'], Readonly<Record<string, string>>>>>> =
  {
    payments: {
      sandbox: {
        'is declined where the page ends by itself, and the seats come back': NO_PAGE_END,
        'KWD in an amount that the provider cannot take is declined, and no money moves': ANY_AMOUNT,
      },
      stripe: {
        'is declined where the page ends by itself, and the seats come back': NO_PAGE_END,
        'KWD with odd fils is taken in its exact minor units': 'it takes KWD in steps of ten fils',
      },
      mollie: {
        'is cancelled where it is abandoned, and the seats come back after that':
          'its page ends by itself after a quarter of an hour, as the order does',
        'KWD in an amount that the provider cannot take is declined, and no money moves': ANY_AMOUNT,
      },
    },
    failures: {
      sandbox: {
        'for a quarter of an hour at a provider that cannot cancel it ends, and its cancel follows the decision':
          ANY_CANCEL,
      },
      stripe: {
        'for a quarter of an hour is cancelled at the provider first, and frees its seats after': NO_CANCEL,
      },
      mollie: {
        'for a quarter of an hour is cancelled at the provider first, and frees its seats after': NO_CANCEL,
      },
    },
  }

type Run = () => Promise<void>

export interface Rows {
  /** A row at the sandbox; at the other providers in the long run alone. */
  row(title: string, run: Run): void
  /** A row in which the behaviour of the provider decides: at each provider. */
  decisive(title: string, run: Run): void
}

/** Runs the rows of a table at each network that can have them. */
export function eachNetwork(
  table: keyof typeof ABSENT,
  networks: readonly Network[],
  rows: (network: Network, add: Rows) => void,
): void {
  describe.each(networks.map((network) => [network.name, network] as const))('at %s', (name, network) => {
    const absent = ABSENT[table]?.[name] ?? {}
    const seen = new Set<string>()
    const decisive = (title: string, run: Run) => {
      seen.add(title)
      if (!(title in absent)) test(title, run)
    }
    rows(network, {
      decisive,
      row(title, run) {
        if (name === 'sandbox' || LONG) decisive(title, run)
        else seen.add(title)
      },
    })
    afterAll(() => expect(Object.keys(absent).filter((title) => !seen.has(title))).toEqual([]))
  })
}
