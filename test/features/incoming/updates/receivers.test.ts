import { expect, test } from 'bun:test'
import { closeIssue } from '#features/issues/close-issue.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { reopenIssue } from '#features/issues/reopen-issue.ts'
import { MINUTE } from '#lib/time.ts'
import { makeIncomingWorld, REPO } from '../fixture.ts'
import {
  giteaIssue,
  githubIssue,
  gitlabIssue,
  glitchtip,
  jiraIssue,
  linearIssue,
  sentryIssue,
} from '../payloads.ts'
import { trackerReceiver, type Told } from './tracker-receiver.ts'

const category = (key: string) => ({ statusCategory: { key } })

/** Comments that a service has, as it was sent them. */
const comments: string[] = []
/** Whether the service takes a comment and its answer gets lost. */
let losesAnswer = false

/** The comments of a service in its own form; null for another request. */
function commentsOf({ path, method, body }: Told): object | null {
  if (path.endsWith('/graphql') && body.includes('comments(filter')) {
    const { comment } = JSON.parse(body).variables
    const nodes = comments.filter((one) => JSON.parse(one).variables.comment === comment)
    return { data: { issue: { comments: { nodes } } } }
  }
  if (method !== 'GET' || !/\/(comments?|notes)\/?(\?|$)/.test(path)) return null
  const sent = comments.map((one) => JSON.parse(one))
  if (path.startsWith('/api/0/')) return sent.map((data) => ({ data }))
  return path.startsWith('/rest/') ? { comments: sent } : sent
}

const isComment = ({ path, method, body }: Told): boolean =>
  method === 'POST' && (/\/(comments?|notes)\/?$/.test(path) || body.includes('commentCreate'))

/** What the services answer, as far as it is read. */
function answer(told: Told) {
  const { path, method, body } = told
  const listed = commentsOf(told)
  if (listed !== null) return { json: listed }
  if (isComment(told)) {
    comments.push(body)
    return losesAnswer ? { status: 504 } : {}
  }
  if (path.endsWith('?fields=status'))
    return { json: { fields: { status: category(isJiraDone ? 'done' : 'new') } } }
  if (path.endsWith('/transitions') && method === 'GET')
    return {
      json: {
        transitions: [
          { id: '11', to: category('indeterminate') },
          { id: '31', to: category('done') },
        ],
      },
    }
  if (path.endsWith('/transitions')) isJiraDone = body.includes('"31"')
  if (path.endsWith('/graphql') && body.startsWith('{"query":"query'))
    return {
      json: {
        data: {
          issue: {
            state: { type: isLinearDone ? 'completed' : 'started' },
            team: {
              states: {
                nodes: [
                  { id: 'shipped', type: 'completed', position: 4 },
                  { id: 'done', type: 'completed', position: 3 },
                  { id: 'todo', type: 'unstarted', position: 1 },
                  { id: 'dropped', type: 'canceled', position: 5 },
                ],
              },
            },
          },
        },
      },
    }
  if (path.endsWith('/graphql') && body.includes('issueUpdate'))
    isLinearDone = body.includes('"done"')
  return {}
}
let isJiraDone = false
let isLinearDone = false

const TEXT = 'ada wrote on acme/site#1'

type Case = {
  readonly provider: string
  readonly config?: Record<string, unknown>
  readonly event: object
  readonly headers?: Record<string, string>
  readonly credentials: [string, string]
  readonly comment: string
  /** What is asked when the event arrives. */
  readonly asked?: readonly string[]
  readonly closed: readonly string[]
  readonly reopened: readonly string[]
}

const CASES: readonly Case[] = [
  {
    provider: 'github',
    event: githubIssue('opened'),
    headers: { 'x-github-event': 'issues' },
    credentials: ['authorization', 'Bearer api-token'],
    comment: 'POST /repos/octo-org/octo-repo/issues/12/comments {"body":',
    closed: [
      'PATCH /repos/octo-org/octo-repo/issues/12 {"state":"closed","state_reason":"completed"}',
    ],
    reopened: [
      'PATCH /repos/octo-org/octo-repo/issues/12 {"state":"open","state_reason":"reopened"}',
    ],
  },
  {
    provider: 'gitea',
    event: giteaIssue('opened'),
    headers: { 'x-gitea-event': 'issues' },
    credentials: ['authorization', 'token api-token'],
    comment: 'POST /api/v1/repos/team/app/issues/4/comments {"body":',
    closed: ['PATCH /api/v1/repos/team/app/issues/4 {"state":"closed"}'],
    reopened: ['PATCH /api/v1/repos/team/app/issues/4 {"state":"open"}'],
  },
  {
    provider: 'gitlab',
    event: gitlabIssue('open', 'opened'),
    credentials: ['private-token', 'api-token'],
    comment: 'POST /api/v4/projects/gitlabhq%2Fgitlab-test/issues/23/notes {"body":',
    closed: ['PUT /api/v4/projects/gitlabhq%2Fgitlab-test/issues/23 {"state_event":"close"}'],
    reopened: ['PUT /api/v4/projects/gitlabhq%2Fgitlab-test/issues/23 {"state_event":"reopen"}'],
  },
  {
    provider: 'jira',
    event: jiraIssue('jira:issue_created', 'new'),
    credentials: ['authorization', 'Bearer api-token'],
    comment: 'POST /rest/api/2/issue/JRA-20002/comment {"body":',
    closed: [
      'GET /rest/api/2/issue/JRA-20002?fields=status',
      'GET /rest/api/2/issue/JRA-20002/transitions',
      'POST /rest/api/2/issue/JRA-20002/transitions {"transition":{"id":"31"}}',
    ],
    reopened: [
      'GET /rest/api/2/issue/JRA-20002?fields=status',
      'GET /rest/api/2/issue/JRA-20002/transitions',
      'POST /rest/api/2/issue/JRA-20002/transitions {"transition":{"id":"11"}}',
    ],
  },
  {
    provider: 'linear',
    event: linearIssue('create', 'started'),
    credentials: ['authorization', 'api-token'],
    comment:
      'POST /graphql {"query":"mutation($id: String!, $comment: String!, $body: String!) { commentCreate',
    closed: ['POST /graphql {"query":"query', 'POST /graphql {"query":"mutation'],
    reopened: ['POST /graphql {"query":"query', 'POST /graphql {"query":"mutation'],
  },
  {
    provider: 'sentry',
    config: { organization: 'test-org' },
    event: sentryIssue('created'),
    headers: { 'sentry-hook-resource': 'issue' },
    credentials: ['authorization', 'Bearer api-token'],
    asked: ['GET /api/0/organizations/test-org/issues/1170820242/events/latest/'],
    comment: 'POST /api/0/organizations/test-org/issues/1170820242/comments/ {"text":',
    closed: ['PUT /api/0/organizations/test-org/issues/1170820242/ {"status":"resolved"}'],
    reopened: ['PUT /api/0/organizations/test-org/issues/1170820242/ {"status":"unresolved"}'],
  },
  {
    provider: 'glitchtip',
    event: glitchtip,
    credentials: ['authorization', 'Bearer api-token'],
    asked: ['GET /api/0/issues/44/events/latest/'],
    comment: 'POST /api/0/issues/44/comments/ {"text":',
    closed: ['PUT /api/0/issues/44/ {"status":"resolved"}'],
    reopened: ['PUT /api/0/issues/44/ {"status":"unresolved"}'],
  },
]

test.each(CASES.map((one) => [one.provider, one] as const))(
  '%s is told of a comment, a close and a reopening',
  async (provider, { config, event, headers, credentials, ...expected }) => {
    const { connect, issues, world, ada } = await makeIncomingWorld()
    const receiver = trackerReceiver(answer)
    const { sendSigned, updates } = await connect(provider, {
      config: { base_url: receiver.url, ...config },
      token: 'api-token',
      sync: { sync_status: true, sync_comments: true },
    })
    receiver.lines()
    comments.length = 0
    expect((await sendSigned(event, headers)).status).toBe(202)
    const [{ number } = { number: 0 }] = await issues()
    await world.jobs()
    // What the service told is not told back. Where an error happened may be asked for.
    expect(receiver.lines()).toEqual([...(expected.asked ?? [])])

    await world.call(addComment, ada, { repo: REPO, number, body: 'Fixed by @octocat.' })
    await world.jobs()
    const [said] = receiver.told
    expect(said?.headers.get(credentials[0])).toBe(credentials[1])
    expect(said?.body).toContain(TEXT)
    // The name of a person here is not one of the service.
    expect(said?.body).toContain('Fixed by @\u200boctocat.')
    const [comment = '', ...more] = receiver.lines()
    expect(more).toEqual([])
    expect(comment).toStartWith(expected.comment)

    // A comment whose answer is lost is there, and one that never arrived is not.
    for (const arrives of [true, false]) {
      losesAnswer = true
      await world.call(addComment, ada, { repo: REPO, number, body: `It ${arrives}.` })
      await world.jobs()
      if (!arrives) comments.pop()
      losesAnswer = false
      world.clock.advance(MINUTE)
      await world.jobs()
      expect(comments.filter((text) => text.includes(`It ${arrives}.`))).toHaveLength(1)
      const lines = receiver.lines().filter((line) => line.startsWith(expected.comment))
      expect(lines).toHaveLength(arrives ? 1 : 2)
    }

    await world.call(closeIssue, ada, { repo: REPO, number })
    await world.jobs()
    const closed = receiver.lines()
    expect(closed.map((line, at) => line.slice(0, expected.closed[at]?.length))).toEqual([
      ...expected.closed,
    ])
    await world.call(reopenIssue, ada, { repo: REPO, number })
    await world.jobs()
    const reopened = receiver.lines()
    expect(reopened.map((line, at) => line.slice(0, expected.reopened[at]?.length))).toEqual([
      ...expected.reopened,
    ])
    if (provider === 'linear') {
      // The first of the states in the order of the team.
      expect(closed[1]).toContain('"stateId":"done"')
      expect(reopened[1]).toContain('"stateId":"todo"')
    }
    expect((await updates()).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'status sent',
      'status sent',
      'comment sent',
      'comment sent',
      'comment sent',
    ])
  },
)
