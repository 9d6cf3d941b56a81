/** The tools of the forge at the door of an agent program, with the rights of its agent. */
import { expect, test } from 'bun:test'
import { createSettingsToken } from '#features/accounts/index.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { listComments } from '#features/issues/comments/list-comments.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { recall } from '#features/memory/recall.ts'
import { REPO } from '../fixture.ts'
import { does, makeProgramWorld, type Action } from './fixture.ts'

const tool = (name: string, args: object, headers: object = {}): Action => ({
  tool: ['tools/call', { name, arguments: args }, headers],
})

type Answer = {
  readonly result?: { readonly isError?: boolean; readonly content: { readonly text: string }[] }
  readonly error?: { readonly message: string }
}

/** What each call got, by the entries of the session. */
async function answersOf(base: Awaited<ReturnType<typeof makeProgramWorld>>): Promise<string[]> {
  const { pull } = await base.assign()
  await base.world.jobs()
  return (await base.entries(pull.number)).flatMap(({ kind, text }) =>
    kind === 'result' ? [text ?? ''] : [],
  )
}

const textOf = (json: string | undefined): string => {
  const { result, error } = JSON.parse(json ?? '{}') as Answer
  const text = result?.content[0]?.text ?? error?.message ?? ''
  return result?.isError || error ? `ERROR ${text}` : text
}

test('a program reads what people say, answers and remembers, as its agent', async () => {
  let secret = ''
  const base = await makeProgramWorld([
    () =>
      ({
        text: JSON.stringify([
          tool('get_issue', { repo: REPO, number: 1 }),
          tool('list_comments', { repo: REPO, number: 1 }),
          // Who the program says it is does not count.
          tool(
            'add_comment',
            { repo: REPO, number: 1, body: 'I look.' },
            { authorization: `Bearer ${secret}` },
          ),
          tool('remember', { repo: REPO, text: 'Numbers are added in src/add.js.' }),
          tool('call_tool', { name: 'get_file', arguments: { repo: REPO, path: 'README.md' } }),
          { say: 'Done.' },
        ]),
      }) as const,
  ])
  const { world, ada } = base
  await world.call(addComment, ada, { repo: REPO, number: 1, body: 'Mind the minus.' })
  secret =
    (await world.call(createSettingsToken, ada, { name: 'mine', scopes: ['issues:write'] }))
      .secret ?? ''
  const [issue, comments, , , file] = (await answersOf(base)).map(textOf)
  expect(issue).toContain('It should add.')
  expect(comments).toContain('Mind the minus.')
  expect(file).toContain('A site.')
  const { items } = await world.call(listComments, ada, { repo: REPO, number: 1 })
  expect(items.at(-1)).toMatchObject({
    body: 'I look.',
    author: { kind: 'agent', username: 'ada/robot' },
  })
  const known = await world.call(recall, ada, { repo: REPO })
  expect(JSON.stringify(known)).toContain('Numbers are added')
})

test('it gets no right that its agent has not', async () => {
  const other = 'acme/vault'
  const refused = [
    tool('get_issue', { repo: other, number: 1 }),
    tool('merge_pull', { repo: REPO, number: 2 }),
    tool('create_token', { name: 'x', scopes: ['repo:read'] }),
    tool('update_repo', { repo: REPO, private: false }),
    tool('connect_integration', { workspace: 'acme', provider: 'jira' }),
    tool('call_tool', { name: 'delete_repo', arguments: { repo: REPO } }),
    tool('create_commit', {
      repo: REPO,
      branch: 'main',
      message: 'x',
      files: [{ path: 'a', action: 'put', content: 'x' }],
    }),
  ]
  const base = await makeProgramWorld([
    does(...refused, tool('search', { query: 'treasure', type: 'issues' }), { say: 'Tried.' }),
  ])
  const { world, ada } = base
  await world.repo(other, { as: ada, private: true })
  await world.call(createIssue, ada, { repo: other, title: 'The treasure is here' })
  const answers = await answersOf(base)
  const found = answers.pop()
  expect(answers).toHaveLength(refused.length)
  expect(answers.map(textOf).filter((text) => !text.startsWith('ERROR'))).toEqual([])
  expect(textOf(found)).toContain('"items":[]')
  expect(answers.join('\n')).not.toContain('treasure is here')
})

test('few tools are listed, because an agent reads the list with each turn', async () => {
  const base = await makeProgramWorld([does({ tool: ['tools/list', {}] }, { say: 'Seen.' })])
  const [listed = ''] = await answersOf(base)
  const { tools } = (JSON.parse(listed) as { result: { tools: { name: string }[] } }).result
  expect(tools.map(({ name }) => name)).toEqual([
    'add_comment',
    'call_tool',
    'find_tools',
    'get_issue',
    'get_pull',
    'get_pull_checks',
    'list_comments',
    'recall',
    'remember',
    'search_context',
  ])
  // About 3.5 characters are a token.
  expect(JSON.stringify(tools).length).toBeLessThan(3.5 * 2_500)
  const asked = JSON.stringify(base.provider.asked[0]?.body)
  expect(asked).toContain('They take \\"repo\\": \\"acme/site\\"; the issue is number 1')
})
