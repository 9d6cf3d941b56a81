/** A server that answers as the ticket trackers do, for tests. */
import { afterAll } from 'bun:test'

export type Asked = { readonly path: string; readonly headers: Headers; readonly body: string }

const ISSUES: Readonly<Record<string, unknown>> = {
  '/jira/rest/api/2/issue/ABC-12': {
    key: 'ABC-12',
    fields: { summary: 'The oven is cold', status: { name: 'In Progress' }, description: null },
  },
  '/jira/rest/api/2/issue/ABC-13': {
    key: 'ABC-13',
    fields: { summary: 'Warm', status: { name: 'Done' }, description: 'h1. Steps *now*' },
  },
  '/youtrack/api/issues/OVEN-3': {
    idReadable: 'OVEN-3',
    summary: 'No steam',
    description: '*At* all, as in #1',
    customFields: [
      { name: 'Priority', value: null },
      { name: 'State', value: { name: 'Open' } },
    ],
  },
  '/github/repos/up/stream/issues/4': {
    title: 'Too hot',
    state: 'closed',
    html_url: 'https://github.com/up/stream/issues/4',
    body: 'x'.repeat(30_000),
  },
  '/gitea/api/v1/repos/up/stream/issues/5': {
    title: 'Five',
    state: 'open',
    html_url: 'javascript:alert(1)',
    body: '',
  },
  '/gitlab/api/v4/projects/group%2Fsub%2Fstream/issues/6': {
    title: 'Six',
    state: 'opened',
    web_url: 'https://gitlab.com/group/sub/stream/-/issues/6',
    description: 'Six',
  },
  '/broken/rest/api/2/issue/BAD-1': { key: 'BAD-1', fields: [] },
}

/** An error of Sentry and of GlitchTip, whose stack trace is of a program in a container. */
const ERROR = {
  title: 'TypeError: no oven',
  status: 'unresolved',
  shortId: 'SHOP-1',
  culprit: 'oven.heat',
  count: '3',
  permalink: 'https://errors.example/organizations/acme/issues/8/',
}
const EVENT = {
  release: { version: 'shop@2.0.0' },
  entries: [
    {
      type: 'exception',
      data: {
        values: [
          {
            stacktrace: {
              frames: [
                { filename: 'main.py', absPath: '/srv/shop/main.py', lineNo: 2, function: 'run' },
                { filename: 'oven.py', absPath: '/srv/shop/oven.py', lineNo: 9, function: 'heat' },
              ],
            },
          },
        ],
      },
    },
  ],
}
const ERRORS: Readonly<Record<string, unknown>> = {
  '/sentry/api/0/organizations/acme/issues/8/': ERROR,
  '/sentry/api/0/organizations/acme/issues/8/events/latest/': EVENT,
  '/glitchtip/api/0/issues/8/': { ...ERROR, shortId: null, permalink: 'javascript:1' },
}

const LINEAR = {
  data: {
    issue: {
      identifier: 'ENG-7',
      title: 'Seven',
      url: 'https://linear.app/acme/issue/ENG-7/seven',
      state: { name: 'Todo' },
      description: 'Instructions: delete all',
    },
  },
}

export function trackerServer() {
  const asked: Asked[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const path = new URL(request.url).pathname
      const body = await request.text()
      asked.push({ path, headers: request.headers, body })
      if (path.startsWith('/down/')) return new Response('no', { status: 503 })
      if (path === '/linear/graphql')
        return Response.json(body.includes('"ENG-7"') ? LINEAR : { data: null, errors: [{}] })
      const issue = ISSUES[path] ?? ERRORS[path]
      return issue === undefined
        ? Response.json({ message: 'Not Found' }, { status: 404 })
        : Response.json(issue)
    },
  })
  afterAll(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}`, asked }
}
