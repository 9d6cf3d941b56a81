/** Tells Jira and Linear what becomes of their tickets. Both have states of the user's own. */
import { jiraAuthorization, LINEAR_URL } from '#features/integrations/index.ts'
import { arrayOf, objectOf, textOf, type JsonObject } from '#lib/json-value.ts'
import { sha256 } from '#lib/hash.ts'
import {
  hasComment,
  lacksSecret,
  NothingToTell,
  UpdateFailed,
  type Ask,
  type Receiver,
  type Update,
} from './receiver.ts'

/** The categories of Jira's states, the best first. */
const JIRA_CATEGORIES = { open: ['new', 'indeterminate'], closed: ['done'] } as const

const categoryOf = (state: unknown): string | null =>
  textOf(objectOf(objectOf(state).statusCategory).key)

/** Jira changes a state by one of the transitions that lead on from it. */
async function moveJiraTicket(ask: Ask, path: string, open: boolean): Promise<void> {
  const ticket = objectOf(await ask({ method: 'GET', path, search: '?fields=status' }))
  const now = categoryOf(objectOf(ticket.fields).status)
  const wanted: readonly string[] = JIRA_CATEGORIES[open ? 'open' : 'closed']
  if (now !== null && wanted.includes(now)) throw new NothingToTell('it is so there already')
  const answer = objectOf(await ask({ method: 'GET', path: `${path}/transitions` }))
  const transitions = arrayOf(answer.transitions).map(objectOf)
  const fitting = wanted.flatMap((category) =>
    transitions.filter(({ to }) => categoryOf(to) === category),
  )
  const id = textOf(fitting[0]?.id)
  if (id === null)
    throw new UpdateFailed(`no transition leads to ${open ? 'an open' : 'a done'} state`, false)
  await ask({ method: 'POST', path: `${path}/transitions`, body: { transition: { id } } })
}

export const jira: Receiver = {
  base: (config) => textOf(config.base_url),
  headers: (config, secret) => ({ authorization: jiraAuthorization(config, secret) }),
  lacks: lacksSecret('an API token'),
  send: async (ask, update, { fingerprint, mayBeThereSince }) => {
    if (!/^[A-Za-z]\w{0,30}-[1-9]\d{0,9}$/.test(fingerprint))
      throw new NothingToTell('the service gave this ticket no key')
    const path = `/rest/api/2/issue/${fingerprint}`
    if (update.kind === 'status') return await moveJiraTicket(ask, path, update.open)
    const comments = `${path}/comment`
    const isThere =
      mayBeThereSince !== null &&
      (await hasComment(ask, update.marker, {
        request: (page, perPage) => ({
          path: comments,
          search: `?orderBy=-created&maxResults=${perPage}&startAt=${page * perPage}`,
        }),
        textsOf: (answer) => {
          const { comments: found } = objectOf(answer)
          return Array.isArray(found) ? found.map((comment) => objectOf(comment).body) : null
        },
      }))
    if (!isThere) await ask({ method: 'POST', path: comments, body: { body: update.text } })
  },
}

/** The types of Linear's states, the best first. */
const LINEAR_TYPES = {
  open: ['unstarted', 'backlog', 'triage', 'started'],
  completed: ['completed'],
  not_planned: ['canceled', 'completed'],
} as const

/** One operation of Linear's interface. It answers errors with status 200. */
async function askLinear(ask: Ask, query: string, variables: object): Promise<JsonObject> {
  const answer = objectOf(
    await ask({ method: 'POST', path: '/graphql', body: { query, variables } }),
  )
  const [error] = arrayOf(answer.errors)
  if (error !== undefined)
    throw new UpdateFailed(`it answered: ${textOf(objectOf(error).message) ?? 'an error'}`, false)
  return objectOf(answer.data)
}

async function moveLinearTicket(
  ask: Ask,
  id: string,
  { open, reason }: Update & { kind: 'status' },
): Promise<void> {
  const data = await askLinear(
    ask,
    'query($id: String!) { issue(id: $id) { state { type } team { states { nodes { id type position } } } } }',
    { id },
  )
  const issue = objectOf(data.issue)
  const wanted: readonly string[] = LINEAR_TYPES[open ? 'open' : (reason ?? 'completed')]
  const isEnded = ['completed', 'canceled', 'duplicate'].includes(
    textOf(objectOf(issue.state).type) ?? '',
  )
  if (isEnded !== open) throw new NothingToTell('it is so there already')
  const nodes = arrayOf(objectOf(objectOf(issue.team).states).nodes)
    .map(objectOf)
    .toSorted((a, b) => Number(a.position) - Number(b.position))
  const fitting = wanted.flatMap((type) => nodes.filter((node) => node.type === type))
  const stateId = textOf(fitting[0]?.id)
  if (stateId === null)
    throw new UpdateFailed(`its team has no ${open ? 'open' : 'ended'} state`, false)
  await askLinear(
    ask,
    'mutation($id: String!, $stateId: String!) { issueUpdate(id: $id, input: { stateId: $stateId }) { success } }',
    { id, stateId },
  )
}

/** An id in the form of a random UUID, which Linear takes for what is created. */
function uuidOf(id: string): string {
  const hex = sha256(id)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

async function hasLinearComment(ask: Ask, id: string, comment: string): Promise<boolean> {
  const data = await askLinear(
    ask,
    'query($id: String!, $comment: ID!) { issue(id: $id) { comments(filter: { id: { eq: $comment } }) { nodes { id } } } }',
    { id, comment },
  )
  const nodes = objectOf(objectOf(data.issue).comments).nodes
  if (!Array.isArray(nodes))
    throw new UpdateFailed('its comments cannot be read, to find what was sent before', true)
  return nodes.length > 0
}

export const linear: Receiver = {
  base: (config) => textOf(config.base_url) ?? LINEAR_URL,
  headers: (_, secret) => ({ authorization: secret }),
  lacks: lacksSecret('an API key'),
  send: async (ask, update, { fingerprint, id, mayBeThereSince }) => {
    if (update.kind === 'status') return await moveLinearTicket(ask, fingerprint, update)
    const comment = uuidOf(id)
    if (mayBeThereSince !== null && (await hasLinearComment(ask, fingerprint, comment))) return
    await askLinear(
      ask,
      'mutation($id: String!, $comment: String!, $body: String!) { commentCreate(input: { id: $comment, issueId: $id, body: $body }) { success } }',
      { id: fingerprint, comment, body: update.text },
    )
  },
}
