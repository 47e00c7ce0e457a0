import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { GRAPHQL_PATH } from '../../graphql/lanes.ts'
import { type Cacheable, NO_STORE, sendCacheable, sendError, toCacheable } from '../responses.ts'

const FIRST_QUERY = `# This query needs no account. For data of an account, get a token from POST /dev/token
# and put it in the Headers tab below: {"authorization": "Bearer …"}
{
  eventBySlug(slug: "demo") {
    id
    name
    sale {
      state
      available
    }
  }
}
`
const OPTIONS = { title: 'Fairgate', subscriptionsProtocol: 'WS', defaultQuery: FIRST_QUERY }

export const GRAPHIQL_PATH = '/graphiql'

/** File names carry a digest of the content. */
const HEADERS = { 'cache-control': 'public, max-age=31536000, immutable' }

/** A browser that opens /graphql. */
export function asksForGraphiql({ method, headers: { accept } }: IncomingMessage): boolean {
  return method === 'GET' && accept?.includes('text/html') === true
}

/**
 * GraphiQL: a short page, and its files of 9 MB. All responses share the bytes of a file, however slowly their clients read.
 * The files are loaded for the first request, so only a process that serves GraphiQL has them in memory.
 */
export function createGraphiql() {
  let loading: ReturnType<typeof load> | undefined
  const files = () => {
    loading ??= load()
    return loading
  }

  return {
    async sendPage(response: ServerResponse): Promise<void> {
      const { page } = await files()
      const length = Buffer.byteLength(page)
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-length': length,
        ...NO_STORE,
      })
      response.end(page)
    },
    async sendFile(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
      const file = (await files()).byName.get(name)
      if (file) sendCacheable(request, response, file)
      else sendError(response, 404, 'There is no such file.')
    },
  }
}

async function load() {
  const { css, editorWorkerService, graphqlWorker, js, jsonWorker } = await import(
    '@graphql-yoga/render-graphiql/graphiql'
  )
  const byName = new Map<string, Cacheable>()
  const compressing: Promise<unknown>[] = []

  /** Returns the address of the file. */
  function add(text: string, name: string, type: string): string {
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
    const file = name.replace('.', `-${digest}.`)
    const headers = { ...HEADERS, 'content-type': `${type}; charset=utf-8` }
    compressing.push(
      toCacheable(Buffer.from(text), `"${digest}"`, headers).then((made) => byName.set(file, made)),
    )
    return `${GRAPHIQL_PATH}/${file}`
  }

  const addWorker = (text: string, name: string) => add(text, `${name}.js`, 'text/javascript')
  const workers = {
    editorWorkerService: addWorker(editorWorkerService, 'editor'),
    json: addWorker(jsonWorker, 'json'),
    graphql: addWorker(graphqlWorker, 'graphql'),
  }
  const script = add(
    `const workers = ${JSON.stringify(workers)};
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => workers[label] };
${js};
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), ${JSON.stringify(OPTIONS)});
`,
    'graphiql.js',
    'text/javascript',
  )
  const style = add(css, 'graphiql.css', 'text/css')
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${OPTIONS.title}: GraphiQL at ${GRAPHQL_PATH}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body id="body" class="no-focus-outline">
<noscript>You need to enable JavaScript to run this app.</noscript>
<div id="root"></div>
<script src="${script}"></script>
</body>
</html>
`
  await Promise.all(compressing)
  return { page, byName }
}
