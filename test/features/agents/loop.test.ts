/**
 * An agent end to end: the official client of the tool server, real git, and the agent's own token
 * only.
 */
import { expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgent } from '#features/agents/create-agent.ts'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { readRef, repoByPath } from '#features/repos/index.ts'
import { refusal } from '../../world.ts'
import { git, withToken } from '../../journeys/forge.ts'
import { runForge } from '../oauth/running.ts'

const REPO = 'acme/site'
type Answer = { error: { code: string; reason: string } | null; data: Record<string, unknown> }

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const mel = await forge.user('mel')
  await forge.workspace('acme', { owner: ada, members: [mel] })
  await forge.repo(REPO, { as: ada, private: true })
  await forge.repo('acme/secret', { as: ada, private: true })
  await forge.repo('acme/open', { as: ada })
  await forge.commit(REPO, 'main', { 'door.txt': 'squeak\n' })
  const { number: issue } = await forge.call(createIssue, ada, {
    repo: REPO,
    title: 'The door squeaks',
  })
  const home = mkdtempSync(join(tmpdir(), 'hearth-agent-loop-'))

  const agent = async (name: string, input: Record<string, unknown> = {}) => {
    const made = await forge.call(createAgent, ada, { repo: REPO, name, ...input })
    const secret = made.token.secret ?? ''
    const connect = async () => {
      const client = new Client({ name: 'agent', version: '1' })
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${forge.url}/mcp?toolsets=all`), {
          requestInit: { headers: { authorization: `Bearer ${secret}` } },
        }),
      )
      return client
    }
    const client = await connect()
    const call = async (tool: string, args: Record<string, unknown>): Promise<Answer> => {
      const result = await client.callTool({ name: tool, arguments: args })
      const data = result.structuredContent as Record<string, unknown>
      return { error: result.isError === true ? (data.error as Answer['error']) : null, data }
    }
    return { id: made.id, secret, client, call, connect }
  }
  return { forge, ada, mel, issue, home, agent }
}

test("an agent's token completes a change and reaches nothing else", async () => {
  const { forge, ada, mel, issue, home, agent } = await setUp()
  try {
    const bot = await agent('bot')
    const tools = (await bot.client.listTools()).tools.map(({ name }) => name)
    expect(tools).toContain('create_pull')
    for (const tool of [
      'create_agent',
      'create_token',
      'add_collaborator',
      'delete_repo',
      'merge_pull',
      'list_agents',
      'update_repo_settings',
    ])
      expect(tools).not.toContain(tool)
    expect((await bot.call('whoami', {})).data).toMatchObject({
      kind: 'agent',
      username: 'ada/bot',
      agent: { repo: REPO, on_behalf_of: { username: 'ada' } },
    })

    const made = await bot.call('create_pull', { repo: REPO, issue })
    expect(made.data).toMatchObject({
      pull: {
        number: 2,
        status: 'draft',
        agent: 'bot',
        author: { kind: 'agent', username: 'ada/bot', on_behalf_of: { username: 'ada' } },
      },
    })
    const { remote } = made.data.git as { remote: string }
    await git(home, 'clone', '-q', withToken(remote, bot.secret), 'work')
    const work = join(home, 'work')
    writeFileSync(join(work, 'door.txt'), 'silence\n')
    await git(work, 'commit', '-q', '-am', 'Oil the door')
    await git(work, 'push', '-q', 'origin', 'HEAD')
    await bot.call('append_session', {
      repo: REPO,
      number: 2,
      entries: [{ kind: 'message', text: 'The hinge is dry.' }],
    })
    expect(
      (await bot.call('mark_pull_ready', { repo: REPO, number: 2, summary: 'Oil the hinge.' }))
        .data,
    ).toMatchObject({ status: 'open' })
    expect((await bot.call('get_pull', { repo: REPO, number: 2 })).data).not.toHaveProperty(
      '_untrusted',
    )

    // The role allows branches of the repository, but not the protected one.
    await git(
      work,
      'push',
      '-q',
      withToken(`${forge.url}/${REPO}.git`, bot.secret),
      'HEAD:refs/heads/side',
    )
    expect(
      readRef(forge.hearth.db, repoByPath(forge.hearth.db, REPO)?.id ?? '', 'refs/heads/side'),
    ).toHaveLength(40)
    expect(
      git(work, 'push', '-q', withToken(`${forge.url}/${REPO}.git`, bot.secret), 'HEAD:main'),
    ).rejects.toThrow(/protected/)

    // In other repositories the agent has no role and reads public data only.
    expect(
      git(home, 'ls-remote', withToken(`${forge.url}/acme/secret.git`, bot.secret)),
    ).rejects.toThrow(/403|only in the repository/)
    expect(await git(home, 'ls-remote', withToken(`${forge.url}/acme/open.git`, bot.secret))).toBe(
      '',
    )
    expect((await bot.call('get_repo', { repo: 'acme/secret' })).error).toMatchObject({
      reason: 'agent_outside_repository',
    })
    expect((await bot.call('get_repo', { repo: 'acme/open' })).error).toBeNull()
    expect(
      (await bot.call('create_issue', { repo: 'acme/open', title: 'Hm' })).error,
    ).toMatchObject({ reason: 'agent_outside_repository' })
    expect(
      ((await bot.call('list_repos', {})).data.items as { full_name: string }[])
        .map(({ full_name }) => full_name)
        .sort(),
    ).toEqual(['acme/open', REPO])
    expect((await bot.call('create_agent', { repo: REPO, name: 'child' })).error).toMatchObject({
      reason: 'person_required',
    })
    expect(
      (await bot.call('create_project', { workspace: 'acme', slug: 'x' })).error,
    ).toMatchObject({ reason: 'agent_outside_repository' })
    expect((await bot.call('merge_pull', { repo: REPO, number: 2 })).error).toMatchObject({
      reason: 'scope',
    })

    // The owner may not approve. Another user approves and merges.
    expect(
      await refusal(forge.call(reviewPull, ada, { repo: REPO, number: 2, verdict: 'approve' })),
    ).toMatchObject({ status: 403 })
    expect(
      await forge.call(reviewPull, mel, { repo: REPO, number: 2, verdict: 'approve' }),
    ).toMatchObject({ counted: true })
    const head = (await forge.call(getPull, ada, { repo: REPO, number: 2 })).head?.sha ?? ''
    expect(
      await forge.call(mergePull, mel, { repo: REPO, number: 2, expected_head: head }),
    ).toMatchObject({ status: 'merged' })

    // A stopped agent is refused by REST, tools and git at the next request.
    await forge.call(stopAgent, mel, { repo: REPO, id: bot.id })
    expect(bot.call('whoami', {})).rejects.toThrow()
    expect((await forge.get('/api/user', { authorization: `Bearer ${bot.secret}` })).status).toBe(
      401,
    )
    expect(git(work, 'fetch', '-q', 'origin')).rejects.toThrow(
      /Authentication failed|could not read Username/,
    )
    const secrets = forge.hearth.db
      .all('SELECT * FROM audit_log')
      .concat(
        forge.hearth.db.all('SELECT * FROM events'),
        forge.hearth.db.all('SELECT * FROM tokens'),
      )
    expect(JSON.stringify(secrets)).not.toContain(bot.secret)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}, 120_000)

test('what one agent began, the next one of the same person goes on with; another person’s does not', async () => {
  const { forge, ada, mel, home, agent } = await setUp()
  try {
    const first = await agent('first')
    await first.call('create_pull', { repo: REPO, title: 'Begun' })
    await forge.call(stopAgent, ada, { repo: REPO, id: first.id })
    const second = await agent('second', { pull: 2 })
    const remote = `${forge.url}/${REPO}/pull/2.git`
    await git(home, 'clone', '-q', withToken(remote, second.secret), 'work')
    const work = join(home, 'work')
    writeFileSync(join(work, 'door.txt'), 'silence\n')
    await git(work, 'commit', '-q', '-am', 'Go on')
    await git(work, 'push', '-q', 'origin', 'HEAD')
    expect(
      (
        await second.call('append_session', {
          repo: REPO,
          number: 2,
          entries: [{ kind: 'message', text: 'On it.' }],
        })
      ).error,
    ).toBeNull()
    expect(
      (await second.call('review_pull', { repo: REPO, number: 2, verdict: 'approve' })).error,
    ).toMatchObject({ code: 'forbidden' })

    const { updateMember } = await import('#features/workspaces/update-member.ts')
    await forge.call(updateMember, ada, { workspace: 'acme', username: 'mel', role: 'owner' })
    const mels = await forge.call(createAgent, mel, { repo: REPO, name: 'second', pull: 2 })
    expect(
      git(work, 'push', withToken(remote, mels.token.secret ?? ''), 'HEAD:refs/heads/other'),
    ).rejects.toThrow(/403|write/)
    // The token ends when its pull request is merged or closed.
    await second.call('close_pull', { repo: REPO, number: 2 })
    expect(
      (await forge.get('/api/user', { authorization: `Bearer ${second.secret}` })).status,
    ).toBe(401)
    expect(
      (await forge.get('/api/user', { authorization: `Bearer ${mels.token.secret}` })).status,
    ).toBe(401)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}, 120_000)
