/**
 * One caller of the forge and the door it comes through. A call is an operation by its name,
 * whichever door; a caller that gets no answer asks again once the forge is back, with the same
 * idempotency key, so that whatever it asked for happens once.
 */
import type { Diary } from './diary.ts'
import type { Life, Lives } from './lives.ts'

export type Door = 'rest' | 'tools'
export type Answer = {
  readonly ok: boolean
  readonly status: number
  readonly reason: string | null
  readonly body: Record<string, unknown>
  readonly items: readonly Record<string, unknown>[]
}

/** Where operations are over REST; `{…}` are taken from the input. */
const ROUTES = {
  create_repo: 'POST /v1/repos',
  update_repo_settings: 'PATCH /v1/repos/{repo}/settings',
  create_ruleset: 'POST /repos/{repo}/rulesets',
  update_ruleset: 'PATCH /repos/{repo}/rulesets/{id}',
  create_webhook: 'POST /{place}/hooks',
  create_agent: 'POST /repos/{repo}/agents',
  create_workspace_token: 'POST /workspaces/{workspace}/tokens',
  create_issue: 'POST /v1/repos/{repo}/issues',
  close_issue: 'POST /v1/repos/{repo}/issues/{number}/close',
  add_comment: 'POST /v1/repos/{repo}/issues/{number}/comments',
  create_commit: 'POST /repos/{repo}/commits',
  create_pull: 'POST /v1/repos/{repo}/pulls',
  get_pull: 'GET /v1/repos/{repo}/pulls/{number}',
  list_pulls: 'GET /v1/repos/{repo}/pulls',
  append_session: 'POST /v1/repos/{repo}/pulls/{number}/session',
  mark_pull_ready: 'POST /v1/repos/{repo}/pulls/{number}/ready',
  review_pull: 'POST /repos/{repo}/pulls/{number}/reviews',
  merge_pull: 'POST /v1/repos/{repo}/pulls/{number}/merge',
  close_pull: 'POST /v1/repos/{repo}/pulls/{number}/close',
  update_pull_branch: 'POST /repos/{repo}/pulls/{number}/update',
  revert_pull: 'POST /repos/{repo}/pulls/{number}/revert',
  apply_suggestion: 'POST /repos/{repo}/comments/{id}/apply',
  update_pull: 'PATCH /repos/{repo}/pulls/{number}',
  ask_agent: 'POST /repos/{repo}/pulls/{number}/questions',
  set_commit_status: 'POST /repos/{repo}/statuses/{sha}',
  list_issues: 'GET /v1/repos/{repo}/issues',
  list_events: 'GET /v1/repos/{repo}/events',
  get_tree: 'GET /repos/{repo}/tree/{ref}',
  leave_merge_queue: 'DELETE /repos/{repo}/queue/{number}',
  get_merge_queue: 'GET /repos/{repo}/queue',
  move_in_merge_queue: 'PATCH /repos/{repo}/queue/{number}',
  pause_merge_queue: 'POST /repos/{repo}/queue/pause',
  resume_merge_queue: 'POST /repos/{repo}/queue/resume',
  get_pull_changes: 'GET /v1/repos/{repo}/pulls/{number}/changes',
  get_user: 'GET /v1/user',
} as const
export type Name = keyof typeof ROUTES

type Input = Readonly<Record<string, unknown>>

/**
 * A repository is its owner and, as one segment, its name, which holds slashes for the fork of a
 * pull request.
 */
function requestOf(
  name: Name,
  input: Input,
): { method: string; path: string; rest: Record<string, unknown> } {
  const [method = 'GET', template = ''] = ROUTES[name].split(' ')
  const rest: Record<string, unknown> = { ...input }
  const path = template.replace(/\{(\w+)\}/g, (_, key: string) => {
    const text = String(input[key])
    delete rest[key]
    if (key === 'place') return text
    const [owner = '', ...others] = text.split('/')
    return key === 'repo'
      ? `${owner}/${encodeURIComponent(others.join('/'))}`
      : encodeURIComponent(text)
  })
  if (method !== 'GET') return { method, path, rest }
  const query = new URLSearchParams(
    Object.entries(rest).map(([key, value]) => [key, String(value)]),
  )
  return { method, path: query.size > 0 ? `${path}?${query}` : path, rest: {} }
}

const parse = (text: string): unknown => (text === '' ? {} : (JSON.parse(text) as unknown))

function answerOf(status: number, value: unknown): Answer {
  const items = Array.isArray(value) ? (value as Record<string, unknown>[]) : []
  const body = Array.isArray(value) ? {} : (value as Record<string, unknown>)
  const error = body.error as { reason?: string | null; code?: string } | undefined
  return {
    ok: status < 300,
    status,
    reason: error?.reason ?? error?.code ?? null,
    body,
    items: Array.isArray(body.items) ? (body.items as Record<string, unknown>[]) : items,
  }
}

/** What each code of a refusal is over REST; tools name the code alone. */
const STATUSES: Readonly<Record<string, number>> = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  invalid: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
}

export async function askRest(
  life: Life,
  token: string | null,
  name: Name,
  input: Input,
  key?: string,
): Promise<Answer> {
  const { method, path, rest } = requestOf(name, input)
  const response = await fetch(`${life.url}/api${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined || method !== 'POST' ? {} : { 'idempotency-key': key }),
    },
    body: method === 'GET' ? undefined : JSON.stringify(rest),
  })
  return answerOf(response.status, parse(await response.text()))
}

export async function askTool(
  life: Life,
  token: string,
  name: Name,
  input: Input,
  key?: string,
): Promise<Answer> {
  const isMade = ROUTES[name].startsWith('POST')
  const args = { ...input, ...(key !== undefined && isMade ? { idempotency_key: key } : {}) }
  const response = await fetch(`${life.url}/mcp?toolsets=all`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  })
  const said = parse(await response.text()) as {
    result?: { isError?: boolean; content?: { text?: string }[] }
    error?: { message?: string }
  }
  if (!said.result)
    return answerOf(response.status < 300 ? 500 : response.status, {
      error: { code: said.error?.message ?? 'no result' },
    })
  const value = parse(said.result.content?.[0]?.text ?? '')
  const code = (value as { error?: { code?: string } }).error?.code ?? ''
  return answerOf(said.result.isError === true ? (STATUSES[code] ?? 500) : 200, value)
}

export class Caller {
  #serial = 0

  constructor(
    readonly name: string,
    readonly token: string,
    readonly door: Door,
    readonly lives: Lives,
    readonly diary: Diary,
  ) {}

  /** A text that nobody else ever writes. */
  unique(what: string): string {
    return `${this.name} ${what} ${this.#serial++}`
  }

  /** Asks until there is an answer. A status of 500 and over surprises, every time. */
  async call(name: Name, input: Input): Promise<Answer> {
    const key = `${this.name}-${this.#serial++}`
    for (let tries = 0; ; tries++) {
      const life = await this.lives.now()
      try {
        const answer = await (this.door === 'rest' ? askRest : askTool)(
          life,
          this.token,
          name,
          input,
          key,
        )
        if (answer.status === 503 && tries < 100) {
          await Bun.sleep(50)
          continue
        }
        if (answer.status >= 500)
          this.diary.surprise(
            `${this.name}: ${name} ${JSON.stringify(input).slice(0, 300)} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 500)}`,
          )
        return answer
      } catch (error) {
        if (!life.over) {
          // The end may be known here a moment later than it is felt there.
          await Bun.sleep(200)
          if (!life.over)
            this.diary.surprise(
              `${this.name}: ${name} got no answer while the forge was up: ${error instanceof Error ? error.message : String(error)}`,
            )
        }
      }
    }
  }

  /** The same for what must succeed; what does not surprises, and gives null. */
  async must(name: Name, input: Input): Promise<Record<string, unknown> | null> {
    const answer = await this.call(name, input)
    if (answer.ok) return answer.body
    if (answer.status < 500)
      this.diary.surprise(
        `${this.name}: ${name} ${JSON.stringify(input).slice(0, 300)} was refused with ${answer.status}: ${JSON.stringify(answer.body).slice(0, 500)}`,
      )
    return null
  }
}
