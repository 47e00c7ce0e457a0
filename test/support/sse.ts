import type { Json } from './client.ts'

/** Follows a subscription by server-sent events. `next` receives each result as it arrives. */
export async function followBySse(
  url: string,
  query: string,
  variables: object,
  { headers = {}, next = () => {} }: { headers?: Record<string, string>; next?(result: Json): void } = {},
) {
  const abort = new AbortController()
  const { body } = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify({ query, variables }),
    signal: abort.signal,
  })
  const results: Json[] = []
  let isOver = false
  const read = (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const events = text.split('\n\n')
      text = events.pop() as string
      for (const event of events) {
        const data = /^data: (.+)$/m.exec(event)?.[1]
        if (!data) continue
        results.push(JSON.parse(data))
        next(results.at(-1))
      }
    }
  })()
    .catch(() => {})
    .finally(() => {
      isOver = true
    })
  return {
    results,
    isOver: () => isOver,
    async stop() {
      abort.abort()
      await read
    },
  }
}
