// Who has a role on a package: people, teams, and whoever the linked repository lets in.
import {
  listPackageAccess,
  removePackageAccess,
  setPackageAccess,
  type PackageAccess,
} from '#features/packages/index.ts'
import { listTeams } from '#features/teams/index.ts'
import { listMembers } from '#features/workspaces/index.ts'
import {
  ActionButton,
  Avatar,
  Badge,
  Button,
  Card,
  Field,
  Form,
  FormActions,
  Icon,
  List,
  Row,
  Select,
} from '../../components/index.ts'
import { repoPath, teamPath, userPath, workspacePath } from '../../paths.ts'
import { action, page, redirectWithFlash, type Fields, type Visit } from '../../site.ts'
import { roleWord } from '../../messages.ts'
import { rich, t, texts } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'
import { loadAsAdmin, PackageFrame, pathOf, targetOf } from './package-frame.tsx'

const ROLES = ['read', 'write', 'admin'] as const
/** What stands before the slug of a team in the field. */
const TEAM_PREFIX = 'team:'
const MEANING: Record<(typeof ROLES)[number], string> = texts({
  read: 'Read: install',
  write: 'Write: publish as well',
  admin: 'Admin: delete and give access as well',
})
const roleOptions = () => ROLES.map((value) => ({ value, label: MEANING[value] }))

type Holder = { username: string } | { team: string }

const HolderEnd = ({ visit, holder, role }: { visit: Visit; holder: Holder; role: string }) => (
  <>
    <Badge tone={role === 'admin' ? 'info' : 'plain'}>{roleWord(role)}</Badge>
    <ActionButton action={pathOf(visit, '/access/remove')} csrf={visit.csrf} values={{ ...holder }}>
      <Button small variant="danger">
        {t('Remove')}
        <span class="unseen"> {Object.values(holder).join('')}</span>
      </Button>
    </ActionButton>
  </>
)

const Holders = ({ visit, access }: { visit: Visit; access: PackageAccess }) => (
  <List label={t('People and teams')} head={<h2>{t('People and teams')}</h2>}>
    {access.people.map(({ user, username, role }) => (
      <Row
        mark={<Avatar of={user} size={32} />}
        title={<a href={userPath(username)}>{user.name ?? username}</a>}
        meta={user.name === null ? undefined : <span>{username}</span>}
        end={<HolderEnd visit={visit} holder={{ username }} role={role} />}
      />
    ))}
    {access.teams.map(({ team, name, role }) => (
      <Row
        mark={<Icon name="users" />}
        title={<a href={teamPath(targetOf(visit).workspace, team)}>{name}</a>}
        meta={<span>{t('Team, with its child teams')}</span>}
        end={<HolderEnd visit={visit} holder={{ team }} role={role} />}
      />
    ))}
  </List>
)

const GiveCard = ({ visit, holders }: { visit: Visit; holders: readonly string[] }) => {
  const { values } = visit.form
  return (
    <Card title={t('Give access')}>
      <Form
        action={pathOf(visit, '/access')}
        csrf={visit.csrf}
        error={formError(visit, 'username', 'role')}
        label={t('Give access')}
      >
        <Field
          name="holder"
          label={t('Username or team')}
          required
          suggestions={holders}
          value={values.text('holder')}
          error={fieldError(visit, 'username')}
          hint={t('A member of this workspace, or a team as team:<slug>.')}
        />
        <Select
          name="role"
          label={t('Role')}
          required
          options={roleOptions()}
          value={values.optional('role') ?? 'read'}
          error={fieldError(visit, 'role')}
        />
        <FormActions>
          <Button variant="primary">{t('Give access')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const MAX_SUGGESTED = 100

/** Whom the field suggests: people and teams of the workspace, as far as the visitor may list them. */
async function loadHolders(visit: Visit, workspace: string): Promise<string[]> {
  const list = { workspace, per_page: MAX_SUGGESTED }
  const [members, teams] = await Promise.all([
    visit.tryCall(listMembers, list),
    visit.tryCall(listTeams, list),
  ])
  return [
    ...(members?.items ?? []).map(({ user }) => user.username),
    ...(teams?.items ?? []).map(({ slug }) => TEAM_PREFIX + slug),
  ]
}

export const packageAccessPage = page({
  path: '/:workspace/-/packages/:type/:name/access',
  load: async (visit) => {
    const loaded = await loadAsAdmin(visit)
    if (loaded === null || loaded.item.deleted_at !== null) return null
    const [access, holders] = await Promise.all([
      visit.call(listPackageAccess, targetOf(visit)),
      loadHolders(visit, loaded.item.workspace),
    ])
    return { ...loaded, access, holders }
  },
  view: ({ item, workspace, access, holders }, visit) => (
    <PackageFrame visit={visit} workspace={workspace} item={item} current="access">
      <p>
        {t('Owners of the workspace are admins of every package.')}{' '}
        {access.repository !== null &&
          rich('Whoever has a role in {repository} has it here too.', {
            repository: <a href={repoPath(access.repository)}>{access.repository}</a>,
          })}
      </p>
      <Holders visit={visit} access={access} />
      <GiveCard visit={visit} holders={holders} />
    </PackageFrame>
  ),
})

const holderOf = (fields: Fields): Holder => {
  const text = fields.text('holder').trim()
  return text.startsWith(TEAM_PREFIX)
    ? { team: text.slice(TEAM_PREFIX.length) }
    : { username: text }
}

export const packageAccessForms = [
  action({
    path: packageAccessPage.path,
    page: packageAccessPage,
    submit: async (visit, fields) => {
      const role = ROLES.find((word) => word === fields.text('role')) ?? 'read'
      await visit.call(setPackageAccess, { ...targetOf(visit), ...holderOf(fields), role })
      return redirectWithFlash(visit, pathOf(visit, '/access'), 'saved')
    },
  }),
  action({
    path: `${packageAccessPage.path}/remove`,
    page: packageAccessPage,
    submit: async (visit, fields) => {
      const team = fields.optional('team')
      const holder = team === undefined ? { username: fields.text('username') } : { team }
      await visit.call(removePackageAccess, { ...targetOf(visit), ...holder })
      // Whoever takes back their own role sees the list of packages.
      const isAdmin = (await loadAsAdmin(visit).catch(() => null)) !== null
      const next = isAdmin
        ? pathOf(visit, '/access')
        : workspacePath(targetOf(visit).workspace, 'packages')
      return redirectWithFlash(visit, next, 'saved')
    },
  }),
]
