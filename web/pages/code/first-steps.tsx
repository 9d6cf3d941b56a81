// The page of an empty repository: commands for git, for agents and for the command line.
import { getRepo, getRepoSettings, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Commands,
  CopyField,
  EmptyState,
  Notice,
  TokenSecret,
} from '../../components/index.ts'
import { watchState, eventStreamResponse } from '../../live.ts'
import { repoPath } from '../../paths.ts'
import type { Resource, Visit } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

/** The lifetime of a token for the first push. */
export const TOKEN_DAYS = '30'

/** The clone address with a token, so that git asks for no password. */
const withToken = (address: string, username: string, secret: string): string =>
  address.replace('://', `://${encodeURIComponent(username)}:${secret}@`)

const PushCommands = ({
  repo,
  visit,
  secret,
}: {
  repo: Repo
  visit: Visit
  secret: string | null
}) => {
  const remote =
    secret === null
      ? repo.clone_url
      : withToken(repo.clone_url, visit.viewer?.username ?? 'x', secret)
  return (
    <>
      <Card title="Push an existing repository">
        <Commands label="Copy the commands for an existing repository">{`git remote add origin ${remote}\ngit push -u origin HEAD:${repo.default_branch}`}</Commands>
      </Card>
      <Card title="Create a new repository on the command line">
        <Commands label="Copy the commands for a new repository">{`git clone ${remote}\ncd ${repo.name}\necho "# ${repo.name}" > README.md\ngit add README.md\ngit commit -m "First commit"\ngit push origin HEAD:${repo.default_branch}`}</Commands>
      </Card>
    </>
  )
}

/** Without a token in the address git asks for a password, unless a credential helper has one. */
const PasswordNotice = ({
  repo,
  visit,
  secret,
}: {
  repo: Repo
  visit: Visit
  secret: string | null
}) =>
  secret === null ? (
    <Notice title="git asks for a password">
      <p>
        Use an access token as the password. You can create one for this repository only; it is then
        part of the commands below.
      </p>
      <ActionButton action={repoPath(repo.full_name, '/first-token')} csrf={visit.csrf}>
        <Button variant="primary" icon="key">
          Create a token
        </Button>
      </ActionButton>
    </Notice>
  ) : (
    <TokenSecret secret={secret}>
      The token reads and pushes the code of {repo.full_name} for {TOKEN_DAYS} days. The commands
      below contain it, and git stores it in this clone only. Revoke it in{' '}
      <a href="/settings/tokens">your settings</a>.
    </TokenSecret>
  )

/** What the default branch accepts after the first push, so that the second one is no surprise. */
export const loadAdminsMayPush = async (visit: Visit, repo: Repo): Promise<boolean> =>
  (await visit.tryCall(getRepoSettings, { repo: repo.full_name }))?.admins_may_push === true

const ProtectionLine = ({ repo, adminsMayPush }: { repo: Repo; adminsMayPush: boolean }) => (
  <p class="muted">
    {repo.protected ? (
      <>
        After the first push <code>{repo.default_branch}</code> is protected:{' '}
        {adminsMayPush
          ? 'admins can push to it, other members and agents open pull requests.'
          : 'changes are merged through pull requests.'}{' '}
        Force pushes and deletion are refused.
      </>
    ) : (
      <>
        <code>{repo.default_branch}</code> is not protected: everyone with the role Write can push
        to it.
      </>
    )}{' '}
    {repo.permissions.maintain && (
      <a href={repoPath(repo.full_name, '/settings#protection')}>Change branch protection</a>
    )}
  </p>
)

const OtherClients = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const { site_url, mcp_url } = visit.hearth.settings
  return (
    <>
      <Card title="For agents: an MCP client">
        <p>Give the client this address. It opens your browser to sign in.</p>
        <CopyField id="first-mcp" label="Address of the tool server" value={mcp_url} />
        <Commands label="Copy the settings of an MCP client">
          {JSON.stringify({ mcpServers: { hearth: { type: 'http', url: mcp_url } } }, null, 2)}
        </Commands>
        {repo.permissions.maintain && (
          <p>
            To give an agent a token for this repository only, open{' '}
            <a href={repoPath(repo.full_name, '/agents')}>Agents</a>.
          </p>
        )}
      </Card>
      <Card title="For a terminal: the command line">
        <p>
          Run these once on each machine. git then signs in to every repository here without a
          password.
        </p>
        <Commands label="Copy the commands for the command line">{`hearth login ${site_url}\nhearth setup-git ${site_url}\nhearth api get_repo --repo ${repo.full_name}`}</Commands>
      </Card>
    </>
  )
}

export const FirstSteps = ({
  repo,
  visit,
  adminsMayPush,
  secret = null,
}: {
  repo: Repo
  visit: Visit
  adminsMayPush: boolean
  secret?: string | null
}) => (
  <>
    <EmptyState icon="repo" title="This repository is empty">
      {repo.permissions.write
        ? 'Push a first commit. This page then shows its files.'
        : 'Nobody has pushed yet.'}
    </EmptyState>
    {repo.permissions.write && !repo.archived && (
      <>
        <PasswordNotice repo={repo} visit={visit} secret={secret} />
        <PushCommands repo={repo} visit={visit} secret={secret} />
        <ProtectionLine repo={repo} adminsMayPush={adminsMayPush} />
        <p class="muted">
          Without git:{' '}
          <a href={repoPath(repo.full_name, `/new/${repo.default_branch}`)}>
            create the first file here
          </a>
          , or <a href={repoPath(repo.full_name, `/upload/${repo.default_branch}`)}>upload files</a>
          .
        </p>
        <OtherClients repo={repo} visit={visit} />
      </>
    )}
  </>
)

/** The event stream of the page of an empty repository. */
export const firstPushLive = (repo: Repo) => ({
  href: repoPath(repo.full_name, '/first-push'),
  said: repo.empty ? 'Waiting for the first push' : 'The first push is here',
})

export const firstPush: Resource = {
  path: '/:workspace/:repo/first-push',
  async respond(first) {
    const visit = first.forStream()
    const read = () => visit.call(getRepo, { repo: repoOf(visit) })
    const { id } = await read()
    const state = async () => String((await read()).empty)
    const events = watchState(visit, 'true', state, (event) => event.repo_id === id)
    return await eventStreamResponse(visit, events, read)
  },
}
