// The private fork of an advisory: how to clone it, its branches, who works there, and merging.
import { encodePath } from '#lib/percent-encoding.ts'
import type { Repo } from '#features/repos/index.ts'
import {
  addAdvisoryCollaborator,
  deleteAdvisoryFork,
  getAdvisoryFork,
  listAdvisoryCollaborators,
  mergeAdvisoryFork,
  openAdvisoryFork,
  removeAdvisoryCollaborator,
  type Advisory,
  type AdvisoryCollaborator,
  type AdvisoryFork,
} from '#features/security/index.ts'
import { invalid } from '#lib/errors.ts'
import {
  ActionButton,
  ActorLink,
  Avatar,
  Button,
  Card,
  Checkbox,
  Commands,
  CopyField,
  Field,
  Form,
  FormActions,
  Icon,
  LinkButton,
  List,
  Notice,
  RelativeTime,
  Row,
  Select,
} from '../../components/index.ts'
import { commitPath } from '../../paths.ts'
import { action, redirectWithFlash, type Page, type Visit } from '../../site.ts'
import { shortSha } from '../../format.ts'
import { rich, t, tn } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { fieldError, formError, visitForForm } from '../shell.tsx'
import { securityPath } from './frame.tsx'

/** What those who work on an advisory see besides it; null for everybody else. */
export type AdvisoryWork = {
  /** Null while there is none. */
  readonly fork: AdvisoryFork | null
  readonly people: readonly AdvisoryCollaborator[]
}

export async function loadWork(
  visit: Visit,
  repo: string,
  id: string,
): Promise<AdvisoryWork | null> {
  const people = await visit.tryCall(listAdvisoryCollaborators, { repo, id })
  if (people === null) return null
  return { people: people.items, fork: await visit.tryCall(getAdvisoryFork, { repo, id }) }
}

type Props = {
  visit: Visit
  repo: Repo
  advisory: Advisory
  work: AdvisoryWork
  manages: boolean
}

const at = ({ repo, advisory }: Pick<Props, 'repo' | 'advisory'>, rest: string): string =>
  securityPath(repo.full_name, `/advisories/${advisory.id}${rest}`)

const OpenForm = (props: Props) => (
  <>
    <p>
      {t(
        'Fix the vulnerability before anybody else sees it. Only administrators, security managers and the people below reach the private fork.',
      )}
    </p>
    <ActionButton action={at(props, '/fork/open')} csrf={props.visit.csrf}>
      <Button>{t('Open private fork')}</Button>
    </ActionButton>
  </>
)

const Branches = ({ fork, ...props }: Props & { fork: AdvisoryFork }) => (
  <List label={t('Branches of the private fork')}>
    {fork.branches.map((branch) => (
      <Row
        mark={<Icon name="branch" />}
        title={
          <a class="row-link mono" href={at(props, `/compare/${encodePath(branch.name)}`)}>
            {branch.name}
          </a>
        }
        meta={
          <>
            <span>{branch.title}</span>
            <span>
              {t('{ahead} ahead of {base}, {behind} behind', {
                ahead: branch.ahead,
                base: fork.base_branch,
                behind: branch.behind,
              })}
            </span>
            <RelativeTime at={branch.updated_at} now={props.visit.hearth.clock.now()} />
          </>
        }
        end={<code>{shortSha(branch.sha)}</code>}
      />
    ))}
  </List>
)

/** The lines of git that resolve a conflict, as the refusal names them. */
const conflictCommands = ({ form }: Visit): string | null => {
  const commands = form.error?.details?.commands
  return Array.isArray(commands) ? commands.join('\n') : null
}

const MergeForm = ({ fork, ...props }: Props & { fork: AdvisoryFork }) => {
  const { repo, advisory } = props
  const action = at(props, '/fork/merge')
  const visit = visitForForm(props.visit, action)
  const choices = fork.branches.filter(({ ahead }) => ahead > 0)
  if (choices.length === 0 || !repo.permissions.write || repo.archived) return null
  const commands = conflictCommands(visit)
  return (
    <Form action={action} csrf={visit.csrf} error={formError(visit, 'branch')}>
      {commands !== null && <Commands>{commands}</Commands>}
      <Select
        name="branch"
        label={t('Branch to merge into {base}', { base: repo.default_branch })}
        value={visit.form.values.text('branch')}
        error={fieldError(visit, 'branch')}
        required
        options={choices.map(({ name }) => ({ value: name, label: name }))}
      />
      {props.manages && advisory.state === 'draft' && (
        <Checkbox name="publish" label={t('Publish the advisory with it')} checked />
      )}
      <FormActions>
        <Button variant="primary">{t('Merge branch')}</Button>
      </FormActions>
    </Form>
  )
}

const MergedNotice = ({ fork: { merged }, repo }: { fork: AdvisoryFork; repo: Repo }) =>
  merged === null ? null : (
    <Notice kind="good">
      {rich('{branch} was merged as {commit}.', {
        branch: <code>{merged.branch}</code>,
        commit: (
          <a href={commitPath(repo.full_name, merged.sha)}>
            <code>{shortSha(merged.sha)}</code>
          </a>
        ),
      })}
    </Notice>
  )

const StateNotice = ({ fork, here }: { fork: AdvisoryFork; here: string }) =>
  fork.state === 'preparing' ? (
    <Notice kind="wait">
      <p>{fork.problem ?? t('The private fork is being prepared.')}</p>
      <p>
        <LinkButton href={here} small icon="refresh">
          {t('Refresh')}
        </LinkButton>
      </p>
    </Notice>
  ) : fork.remove_at !== null ? (
    <Notice>
      {rich('The advisory is published, so nothing is pushed here any more. Removed {time}.', {
        time: <RelativeTime at={fork.remove_at} />,
      })}
    </Notice>
  ) : null

const ForkView = ({ fork, ...props }: Props & { fork: AdvisoryFork }) => (
  <>
    <StateNotice fork={fork} here={at(props, '')} />
    <MergedNotice fork={fork} repo={props.repo} />
    {fork.state === 'ready' && (
      <>
        <CopyField label={t('With git')} id="fork-git" value={`git clone ${fork.remote}`} />
        {fork.ssh_remote !== null && (
          <CopyField label={t('Over SSH')} id="fork-ssh" value={`git clone ${fork.ssh_remote}`} />
        )}
      </>
    )}
    {fork.state === 'ready' && fork.branches.length === 0 && (
      <>
        <p>
          {rich(
            'Nothing is pushed yet. {base} follows the repository; push a branch of your own:',
            {
              base: <code>{fork.base_branch}</code>,
            },
          )}
        </p>
        <Commands>{`git switch -c fix\ngit commit -am "Describe the change"\ngit push origin fix`}</Commands>
      </>
    )}
    {fork.branches.length > 0 && <Branches {...props} fork={fork} />}
    <MergeForm {...props} fork={fork} />
    {props.manages && (
      <Form action={at(props, '/fork/delete')} csrf={props.visit.csrf}>
        <Checkbox name="sure" label={t('Delete all its branches for good')} required />
        <FormActions>
          <Button variant="danger">{t('Delete private fork')}</Button>
        </FormActions>
      </Form>
    )}
  </>
)

const PeopleList = (props: Props) => (
  <List label={t('Invited people')}>
    {props.work.people.map(({ user, added_at }) => (
      <Row
        mark={<Avatar of={user} size={20} />}
        title={<ActorLink of={user} />}
        meta={<RelativeTime at={added_at} now={props.visit.hearth.clock.now()} />}
        end={
          props.manages && (
            <ActionButton
              action={at(props, '/people/remove')}
              csrf={props.visit.csrf}
              values={{ username: user.username }}
            >
              <Button small>{t('Remove')}</Button>
            </ActionButton>
          )
        }
      />
    ))}
  </List>
)

export const WorkCards = (props: Props) => {
  const { visit, repo, advisory, work, manages } = props
  const invite = at(props, '/people/add')
  const sent = visitForForm(visit, invite)
  return (
    <>
      {(work.fork !== null || (manages && advisory.state === 'draft')) && (
        <Card title={t('Private fork')}>
          {work.fork === null ? <OpenForm {...props} /> : <ForkView {...props} fork={work.fork} />}
        </Card>
      )}
      <Card title={t('Who has access')}>
        <p>
          {t('Administrators of the repository, security managers and invited people.')}{' '}
          {work.people.length === 0
            ? t('Nobody is invited.')
            : tn('{count} person is invited.', '{count} people are invited.', work.people.length)}
        </p>
        {work.people.length > 0 && <PeopleList {...props} />}
        {manages && !repo.archived && (
          <Form action={invite} csrf={visit.csrf} error={formError(sent, 'username')}>
            <Field
              name="username"
              label={t('Username')}
              required
              maxlength={100}
              value={sent.form.values.text('username')}
              error={fieldError(sent, 'username')}
              hint={t('Somebody who can read the repository, such as the reporter.')}
            />
            <FormActions>
              <Button>{t('Invite')}</Button>
            </FormActions>
          </Form>
        )}
      </Card>
    </>
  )
}

const placeOf = (visit: Visit) => ({ repo: repoOf(visit), id: visit.params.advisory ?? '' })
const PATH = '/:workspace/:repo/security/advisories/:advisory'

/** The forms of the cards, on the page of the advisory. */
export const forkForms = (page: Page) => {
  const form = (
    rest: string,
    flash: Parameters<typeof redirectWithFlash>[2],
    submit: (
      visit: Visit,
      fields: { text(name: string): string; has(name: string): boolean },
    ) => Promise<unknown>,
  ) =>
    action({
      path: `${PATH}${rest}`,
      page,
      submit: async (visit, fields) => {
        await submit(visit, fields)
        const { repo, id } = placeOf(visit)
        return redirectWithFlash(visit, securityPath(repo, `/advisories/${id}`), flash)
      },
    })
  return [
    form('/fork/open', 'private-fork-opened', (visit) =>
      visit.call(openAdvisoryFork, placeOf(visit)),
    ),
    form('/fork/delete', 'private-fork-deleted', (visit) =>
      visit.call(deleteAdvisoryFork, placeOf(visit)),
    ),
    form('/fork/merge', 'private-fork-merged', (visit, fields) =>
      visit.call(mergeAdvisoryFork, {
        ...placeOf(visit),
        branch: fields.text('branch'),
        publish: fields.has('publish'),
      }),
    ),
    form('/people/add', 'advisory-person-added', async (visit, fields) => {
      const username = fields.text('username').trim()
      const added = await visit.tryCall(addAdvisoryCollaborator, { ...placeOf(visit), username })
      if (added === null)
        throw invalid('username', t('There is no person {username}.', { username }))
    }),
    form('/people/remove', 'advisory-person-removed', (visit, fields) =>
      visit.call(removeAdvisoryCollaborator, {
        ...placeOf(visit),
        username: fields.text('username'),
      }),
    ),
  ]
}
