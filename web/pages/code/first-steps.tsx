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
import { rich, t } from '../../text.ts'

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
      <Card title={t('Push an existing repository')}>
        <Commands
          label={t('Copy the commands for an existing repository')}
        >{`git remote add origin ${remote}\ngit push -u origin HEAD:${repo.default_branch}`}</Commands>
      </Card>
      <Card title={t('Create a new repository on the command line')}>
        <Commands
          label={t('Copy the commands for a new repository')}
        >{`git clone ${remote}\ncd ${repo.name}\necho "# ${repo.name}" > README.md\ngit add README.md\ngit commit -m "First commit"\ngit push origin HEAD:${repo.default_branch}`}</Commands>
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
    <Notice title={t('git asks for a password')}>
      <p>
        {t(
          'Use an access token as the password. You can create one for this repository only; it is then part of the commands below.',
        )}
      </p>
      <ActionButton action={repoPath(repo.full_name, '/first-token')} csrf={visit.csrf}>
        <Button variant="primary" icon="key">
          {t('Create a token')}
        </Button>
      </ActionButton>
    </Notice>
  ) : (
    <TokenSecret secret={secret}>
      {rich(
        'The token reads and pushes the code of {full_name} for {tokenDays} days. The commands below contain it, and git stores it in this clone only. Revoke it in <a>your settings</a>.',
        {
          full_name: repo.full_name,
          tokenDays: TOKEN_DAYS,
          a: (inner) => <a href="/settings/tokens">{inner}</a>,
        },
      )}
    </TokenSecret>
  )

/** What the default branch accepts after the first push, so that the second one is no surprise. */
export const loadAdminsMayPush = async (visit: Visit, repo: Repo): Promise<boolean> =>
  (await visit.tryCall(getRepoSettings, { repo: repo.full_name }))?.admins_may_push === true

const ProtectionLine = ({ repo, adminsMayPush }: { repo: Repo; adminsMayPush: boolean }) => (
  <p class="muted">
    {repo.protected
      ? rich(
          'After the first push {default_branch} is protected: {adminsMayPush} Force pushes and deletion are refused.',
          {
            default_branch: <code>{repo.default_branch}</code>,
            adminsMayPush: adminsMayPush
              ? t('admins can push to it, other members and agents open pull requests.')
              : t('changes are merged through pull requests.'),
          },
        )
      : rich('{default_branch} is not protected: everyone with the role Write can push to it.', {
          default_branch: <code>{repo.default_branch}</code>,
        })}{' '}
    {repo.permissions.maintain && (
      <a href={repoPath(repo.full_name, '/settings#protection')}>{t('Change branch protection')}</a>
    )}
  </p>
)

const OtherClients = ({ repo, visit }: { repo: Repo; visit: Visit }) => {
  const { site_url, mcp_url } = visit.hearth.settings
  return (
    <>
      <Card title={t('For agents: an MCP client')}>
        <p>{t('Give the client this address. It opens your browser to sign in.')}</p>
        <CopyField id="first-mcp" label={t('Address of the tool server')} value={mcp_url} />
        <Commands label={t('Copy the settings of an MCP client')}>
          {JSON.stringify({ mcpServers: { hearth: { type: 'http', url: mcp_url } } }, null, 2)}
        </Commands>
        {repo.permissions.maintain && (
          <p>
            {rich('To give an agent a token for this repository only, open <a>Agents</a>.', {
              a: (inner) => <a href={repoPath(repo.full_name, '/agents')}>{inner}</a>,
            })}
          </p>
        )}
      </Card>
      <Card title={t('For a terminal: the command line')}>
        <p>
          {t(
            'Run these once on each machine. git then signs in to every repository here without a password.',
          )}
        </p>
        <Commands
          label={t('Copy the commands for the command line')}
        >{`hearth login ${site_url}\nhearth setup-git ${site_url}\nhearth api get_repo --repo ${repo.full_name}`}</Commands>
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
    <EmptyState icon="repo" title={t('This repository is empty')}>
      {repo.permissions.write && !repo.archived
        ? t('Push a first commit. This page then shows its files.')
        : t('Nobody has pushed yet.')}
    </EmptyState>
    {repo.permissions.write && !repo.archived && (
      <>
        <PasswordNotice repo={repo} visit={visit} secret={secret} />
        <PushCommands repo={repo} visit={visit} secret={secret} />
        {repo.ssh_url !== null && (
          <CopyField id="first-ssh" label={t('SSH address')} value={repo.ssh_url} />
        )}
        <ProtectionLine repo={repo} adminsMayPush={adminsMayPush} />
        <p class="muted">
          {rich('Without git: <a>create the first file here</a>, or <a2>upload files</a2>.', {
            a: (inner) => (
              <a href={repoPath(repo.full_name, `/new/${repo.default_branch}`)}>{inner}</a>
            ),
            a2: (inner) => (
              <a href={repoPath(repo.full_name, `/upload/${repo.default_branch}`)}>{inner}</a>
            ),
          })}
        </p>
        <OtherClients repo={repo} visit={visit} />
      </>
    )}
  </>
)

/** The event stream of the page of an empty repository. */
export const firstPushLive = (repo: Repo) => ({
  href: repoPath(repo.full_name, '/first-push'),
  said: repo.empty ? t('Waiting for the first push') : t('The first push is here'),
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
