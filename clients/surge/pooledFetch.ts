import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

/**
 * The largest number of open connections. A real crowd's requests come through a few proxies, over connections that
 * stay open. The platform's fetch opens another connection whenever all are busy.
 */
const CONNECTIONS = 256

/**
 * Creates a `fetch` for the SDK over a bounded pool of kept connections: text in, text out. Thousands of connections
 * opened at once would measure the listen queue and not the service.
 */
export function createPooledFetch(url: string): typeof fetch {
  const secure = url.startsWith('https:')
  const options = { keepAlive: true, maxSockets: CONNECTIONS }
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options)
  const send = secure ? httpsRequest : httpRequest

  return (target, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = send(
        String(target),
        { agent, method, headers: headers as Record<string, string>, signal: signal ?? undefined },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('error', reject)
          response.on('end', () => {
            const { statusCode: status = 500, headers } = response
            resolve(
              new Response(text, {
                status,
                headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
              }),
            )
          })
        },
      )
      request.on('error', reject)
      request.end(body as string | undefined)
    })
}
