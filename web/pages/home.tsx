import { listWorkspaces, type Workspace } from '#features/workspaces/index.ts'
import { listRepos, type Repo } from '#features/repos/index.ts'
import { whoami } from '#features/workspaces/index.ts'
import { Avatar } from '../components/avatar.tsx'
import { Button, LinkButton } from '../components/button.tsx'
import { Card, EmptyState } from '../components/card.tsx'
import { Notice } from '../components/flash.tsx'
import { ActionButton, Field, Form, FormActions, Select } from '../components/form.tsx'
import { Icon, Mark } from '../components/icon.tsx'
import { PageHead } from '../components/layout.tsx'
import { List, RepoRow } from '../components/rows.tsx'
import { Columns, SideBlock } from '../components/tabs.tsx'
import { workspacePath } from '../paths.ts'
import { page, type Visit } from '../site.ts'
import { invitationsTo, InvitationsForYou } from './invitation.tsx'
import { sendsMail } from './accounts/sends-mail.ts'
import { Shell } from './shell.tsx'
import { loadAttention, AttentionLists, type AttentionItems } from './needs-attention.tsx'
import { rich, t } from '../text.ts'

const Repos = ({
  repos,
  label,
  empty,
}: {
  repos: readonly Repo[]
  label: string
  empty: string
}) =>
  repos.length === 0 ? (
    <EmptyState icon="repo" title={empty} />
  ) : (
    <List label={label}>
      {repos.map((repo) => (
        <RepoRow repo={repo} />
      ))}
    </List>
  )

const Welcome = ({ visit, repos }: { visit: Visit; repos: readonly Repo[] }) => (
  <Shell
    visit={visit}
    title="Hearth"
    description={t('A git forge for people and software agents.')}
  >
    <section class="hero" aria-labelledby="hero-title">
      <Mark size={64} />
      <h1 id="hero-title">{t('A forge for people and software agents')}</h1>
      <p class="lead">
        {t(
          'Repositories with issues and pull requests. Every change is made in a fork of its own and comes with the story of how it was made.',
        )}
      </p>
      <div class="actions">
        {visit.hearth.settings.sign_up === 'open' && (
          <LinkButton href="/register" variant="primary">
            {t('Create an account')}
          </LinkButton>
        )}
        <LinkButton
          href="/login"
          variant={visit.hearth.settings.sign_up === 'open' ? 'plain' : 'primary'}
        >
          {t('Sign in')}
        </LinkButton>
        <LinkButton href="/explore" variant="quiet">
          {t('Explore')}
        </LinkButton>
      </div>
    </section>
    <h2>{t('Public repositories')}</h2>
    <Repos repos={repos} label={t('Public repositories')} empty={t('Nothing public here yet')} />
  </Shell>
)

const FirstRepoCard = ({
  visit,
  first,
  workspaces,
}: {
  visit: Visit
  first: Workspace
  workspaces: readonly Workspace[]
}) => (
  <Card title={t('Create repository')}>
    <Form action="/new" csrf={visit.csrf} label={t('Create repository')}>
      {workspaces.length === 1 ? (
        <input type="hidden" name="workspace" value={first.slug} />
      ) : (
        <Select
          name="workspace"
          label={t('Workspace')}
          required
          options={workspaces.map(({ slug, name }) => ({
            value: slug,
            label: name === slug ? slug : `${name} (${slug})`,
          }))}
        />
      )}
      <Field
        name="name"
        label={t('Name')}
        required
        mono
        autofocus
        maxlength={100}
        hint={
          visit.hearth.settings.private_by_default
            ? t('It is private until you say otherwise.')
            : t('Everyone can see it until you say otherwise.')
        }
      />
      <FormActions>
        <Button variant="primary">{t('Create repository')}</Button>
        <LinkButton href="/new" variant="quiet">
          {t('More choices, or import a repository')}
        </LinkButton>
      </FormActions>
    </Form>
  </Card>
)

/** The first steps of a user without repositories. */
const Begin = ({ visit, workspaces }: { visit: Visit; workspaces: readonly Workspace[] }) => {
  const [first] = workspaces
  return (
    <>
      <PageHead
        title={t('Welcome, {username}', { username: visit.viewer?.username ?? '' })}
        lead={t('Three steps to your first push.')}
      />
      <ol class="first-steps">
        <li class="done">
          <Icon name="check-circle" label={t('Done')} />{' '}
          {rich('Your account is created{first}.', {
            first: first
              ? rich(', and the workspace {a}', {
                  a: (
                    <a href={workspacePath(first.slug)}>
                      <code>{first.slug}</code>
                    </a>
                  ),
                })
              : '',
          })}
        </li>
        <li>
          {first === undefined ? (
            <p>
              {t('Create a workspace, which owns repositories.')}{' '}
              <LinkButton href="/workspaces/new" variant="primary">
                {t('Create workspace')}
              </LinkButton>
            </p>
          ) : (
            <FirstRepoCard visit={visit} first={first} workspaces={workspaces} />
          )}
        </li>
        <li>
          {t('Push to it: its page has the lines for git, for agents and for the command line.')}
        </li>
      </ol>
    </>
  )
}

type Dashboard = {
  waiting: AttentionItems
  invitations: Awaited<ReturnType<typeof invitationsTo>>
  repos: readonly Repo[]
  workspaces: readonly Workspace[]
  email: string | null
  verified: boolean
}

const ConfirmationNotice = ({ visit, email }: { visit: Visit; email: string }) => (
  <Notice kind="wait" title={t('Confirm your email address')}>
    <p>
      {sendsMail(visit)
        ? rich(
            'We sent a link to {email}. Until you open it you can read, but not create repositories, push, or open issues.',
            { email },
          )
        : rich(
            'This site sends no mail: ask an administrator for the link that confirms {email}. Until you open it you can read, but not create repositories, push, or open issues.',
            { email },
          )}
    </p>
    {sendsMail(visit) && (
      <ActionButton action="/settings/emails/confirmation" csrf={visit.csrf} values={{ email }}>
        <Button small>{t('Send it again')}</Button>
      </ActionButton>
    )}
  </Notice>
)

const WorkspaceLinks = ({ data }: { data: Dashboard }) => (
  <SideBlock
    title={t('Workspaces')}
    action={<LinkButton href="/workspaces/new" small icon="plus" label={t('New workspace')} />}
  >
    {data.workspaces.length === 0 ? (
      <p class="muted">{t('A workspace owns repositories. Create one to start.')}</p>
    ) : (
      <ul class="bare-list">
        {data.workspaces.map((workspace) => (
          <li>
            <a class="place-link" href={workspacePath(workspace.slug)}>
              <Avatar
                of={{ username: workspace.slug, kind: 'workspace', name: workspace.name }}
                size={24}
              />{' '}
              <span>{workspace.name}</span>
            </a>
          </li>
        ))}
      </ul>
    )}
  </SideBlock>
)

const Dashboard = ({ visit, data }: { visit: Visit; data: Dashboard }) => (
  <Shell visit={visit} title="Hearth">
    {!data.verified && data.email !== null && (
      <ConfirmationNotice visit={visit} email={data.email} />
    )}
    <InvitationsForYou visit={visit} invitations={data.invitations} />
    <Columns where="right" side={<WorkspaceLinks data={data} />}>
      {data.repos.length === 0 && data.verified ? (
        <Begin visit={visit} workspaces={data.workspaces} />
      ) : (
        <>
          <PageHead title={t('Needs your attention')} />
          <div class="stack">
            <AttentionLists visit={visit} waiting={data.waiting} />
          </div>
          <PageHead
            level={2}
            title={t('Your repositories')}
            actions={
              <LinkButton href="/new" variant="primary" icon="plus">
                {t('New repository')}
              </LinkButton>
            }
          />
          <Repos
            repos={data.repos}
            label={t('Your repositories')}
            empty={t('No repositories yet')}
          />
        </>
      )}
    </Columns>
  </Shell>
)

/** The number of repositories on the start page. */
const SHOWN = 30

const movedAt = (repo: Repo): string => repo.pushed_at ?? repo.created_at

export const homePage = page({
  path: '/',
  load: async (visit) => {
    const { items: newest } = await visit.call(listRepos, {
      sort: 'pushed',
      per_page: visit.viewer ? 100 : SHOWN,
    })
    if (!visit.viewer) return { kind: 'welcome' as const, repos: newest }
    const [{ items: workspaces }, me, invitations, waiting] = await Promise.all([
      visit.call(listWorkspaces, { per_page: 100 }),
      visit.call(whoami, {}),
      invitationsTo(visit),
      loadAttention(visit),
    ])
    // Loaded by workspace, so that the viewer's own are not lost among many public ones.
    const own = await Promise.all(
      workspaces
        .slice(0, 10)
        .map(({ slug }) =>
          visit.call(listRepos, { workspace: slug, sort: 'pushed', per_page: SHOWN }),
        ),
    )
    const ownWorkspaces = new Set(workspaces.map(({ slug }) => slug))
    const shared = newest.filter(
      (repo) =>
        ownWorkspaces.has(repo.workspace) ||
        repo.private ||
        (repo.viewer_role ?? 'read') !== 'read',
    )
    const repos = [
      ...new Map(
        [...own.flatMap(({ items }) => items), ...shared].map((repo) => [repo.id, repo]),
      ).values(),
    ]
      .sort((a, b) => movedAt(b).localeCompare(movedAt(a)))
      .slice(0, SHOWN)
    return {
      kind: 'dashboard' as const,
      waiting,
      invitations,
      repos,
      workspaces,
      email: me.email,
      verified: me.verified,
    }
  },
  view: (data, visit) =>
    data.kind === 'welcome' ? (
      <Welcome visit={visit} repos={data.repos} />
    ) : (
      <Dashboard visit={visit} data={data} />
    ),
})
