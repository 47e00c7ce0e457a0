import { expect, test } from 'vitest'
import { createLongBodies } from '../../../../src/server/http/limits/longBodies.ts'
import { testServer } from '../../../support/server.ts'

const { url, token, ask } = await testServer()

test('long bodies are served one at a time, and the accounts take turns', async () => {
  const { run } = createLongBodies(0)
  const served: string[] = []
  let underWay = 0
  const serve = (account: string) =>
    run(account, async () => {
      expect(++underWay).toBe(1)
      served.push(account)
      await new Promise(setImmediate)
      underWay--
    })
  await Promise.all(['a', 'a', 'a', 'b'].map(serve))
  expect(served).toEqual(['a', 'a', 'b', 'a'])
  await expect(run('a', () => Promise.reject(new Error('fails')))).rejects.toThrow('fails')
  expect(await run('a', async () => 'next')).toBe('next')
})

test.each([
  ['lists in lists', '['.repeat(200_000) + ']'.repeat(200_000), 'is nested more than 64 levels deep'],
  ['a row of too many seats', `[${'1,'.repeat(300_000)}1]`, 'has a list of more than 200000 entries'],
])(
  'an organizer who sends %s reads what is wrong, and the server parses nothing',
  async (_name, plan, fault) => {
    const olga = await token('olga', { roles: ['organizer'] })
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${olga}` },
      body: `{"query":"mutation ($input: CreateEventInput!) { createEvent(input: $input) { id } }","variables":{"input":{"seatingPlan":${plan}}}}`,
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ message: `The body ${fault}.` }] })
    expect((await ask('{ __typename }')).data).toEqual({ __typename: 'Query' })
  },
)
