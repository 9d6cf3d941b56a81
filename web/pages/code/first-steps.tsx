// The page of an empty repository: commands for git, for agents and for the command line.
import { getRepo, type Repo } from '#features/repos/index.ts'
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
      <Card title="Push what you have">
        <Commands label="Copy the lines for code that you have">{`git remote add origin ${remote}\ngit push -u origin HEAD:${repo.default_branch}`}</Commands>
      </Card>
      <Card title="Or begin with nothing">
        <Commands label="Copy the lines for a new beginning">{`git clone ${remote}\ncd ${repo.name}\necho "# ${repo.name}" > README.md\ngit add README.md\ngit commit -m "Begin"\ngit push origin HEAD:${repo.default_branch}`}</Commands>
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
    <Notice title="git will ask for a password">
      <p>
        It takes an access token. One press makes one for this repository alone, and puts it into
        the lines below.
      </p>
      <ActionButton action={repoPath(repo.full_name, '/first-token')} csrf={visit.csrf}>
        <Button variant="primary" icon="key">
          Make a token for git
        </Button>
      </ActionButton>
    </Notice>
  ) : (
    <TokenSecret secret={secret}>
      It reads and pushes the code of {repo.full_name} for {TOKEN_DAYS} days, and is in the lines
      below. git keeps it in this clone alone. Revoke it in{' '}
      <a href="/settings/tokens">your settings</a>.
    </TokenSecret>
  )

const OtherClients = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const { site_url, mcp_url } = visit.hearth.settings
  return (
    <>
      <Card title="For agents: an MCP client">
        <p>Give the client this address. It signs in by itself, through your browser.</p>
        <CopyField id="first-mcp" label="Address of the tool server" value={mcp_url} />
        <Commands label="Copy the settings of an MCP client">
          {JSON.stringify({ mcpServers: { hearth: { type: 'http', url: mcp_url } } }, null, 2)}
        </Commands>
        {repo.permissions.maintain && (
          <p>
            An agent with a token for this repository alone is started on its page{' '}
            <a href={repoPath(repo.full_name, '/agents')}>Agents</a>.
          </p>
        )}
      </Card>
      <Card title="For a terminal: the command line">
        <p>Once on each machine; git asks no more then, for any repository here.</p>
        <Commands label="Copy the lines for the command line">{`hearth login ${site_url}\nhearth setup-git ${site_url}\nhearth api get_repo --repo ${repo.full_name}`}</Commands>
      </Card>
    </>
  )
}

export const FirstSteps = ({
  repo,
  visit,
  secret = null,
}: {
  repo: Repo
  visit: Visit
  secret?: string | null
}) => (
  <>
    <EmptyState icon="repo" title="This repository is empty">
      {repo.permissions.write
        ? 'Bring the first commit, and this page shows its files by itself.'
        : 'Nobody has pushed yet.'}
    </EmptyState>
    {repo.permissions.write && !repo.archived && (
      <>
        <PasswordNotice repo={repo} visit={visit} secret={secret} />
        <PushCommands repo={repo} visit={visit} secret={secret} />
        <p class="muted">
          No git at hand?{' '}
          <a href={repoPath(repo.full_name, `/new/${repo.default_branch}`)}>
            Write the first file here
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
