import {
  createMilestone,
  deleteMilestone,
  listMilestones,
  updateMilestone,
  type Milestone,
} from '#features/issues/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  EmptyState,
  Field,
  FilterBar,
  Form,
  FormActions,
  Icon,
  List,
  MarkdownBody,
  PageHead,
  RelativeTime,
  Row,
  TextArea,
} from '../../components/index.ts'
import { repoPath, withQuery } from '../../paths.ts'
import {
  action,
  redirectWithFlash,
  emptyFormState,
  page,
  type Fields,
  type Visit,
} from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { loadPage, onSamePage, RowForm, RowSteps } from '../row-form.tsx'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { markdownOf } from './conversation.tsx'
import { rich, t } from '../../text.ts'

const FIELDS = ['title', 'description', 'due_on']
const PER_PAGE = 25
/** What a row shows of a description. */
const MAX_DESCRIPTION_BYTES = 1_000

const stateOf = ({ url }: Visit): 'open' | 'closed' =>
  url.searchParams.get('state') === 'closed' ? 'closed' : 'open'

/** An address that stays on the page of the list that is shown. */
const onPage = (visit: Visit, path: string): string =>
  onSamePage(
    visit,
    withQuery(path, { state: stateOf(visit) === 'closed' ? 'closed' : undefined }),
    'page',
  )

const MilestoneFields = ({ visit, of, id }: { visit: Visit; of?: Milestone; id: string }) => {
  const typedOr = (name: string, stored: string) =>
    visit.form.values.has(name) ? visit.form.values.text(name) : stored
  return (
    <>
      <Field
        id={`${id}-title`}
        name="title"
        label={t('Title')}
        required
        maxlength={256}
        value={typedOr('title', of?.title ?? '')}
        error={fieldError(visit, 'title')}
      />
      <TextArea
        id={`${id}-description`}
        name="description"
        label={t('Description')}
        rows={3}
        value={typedOr('description', of?.description ?? '')}
        error={fieldError(visit, 'description')}
      />
      <Field
        id={`${id}-due`}
        name="due_on"
        label={t('Due on')}
        type="date"
        value={typedOr('due_on', of?.due_on?.slice(0, 10) ?? '')}
        error={fieldError(visit, 'due_on')}
      />
    </>
  )
}

const MilestoneForms = ({
  visit,
  at,
  here,
  milestone,
  refused,
}: {
  visit: Visit
  at: Visit
  here: string
  milestone: Milestone
  refused: boolean
}) => (
  <>
    <Form
      action={onPage(visit, `${here}/edit`)}
      csrf={visit.csrf}
      label={t('Change {title}', { title: milestone.title })}
      error={refused ? formError(at, ...FIELDS) : null}
    >
      <input type="hidden" name="id" value={milestone.id} />
      <MilestoneFields
        visit={refused ? at : { ...visit, form: emptyFormState }}
        of={milestone}
        id={milestone.id}
      />
      <FormActions>
        <Button small>{t('Save')}</Button>
        <Button small name="state" value={milestone.state === 'open' ? 'closed' : 'open'}>
          {milestone.state === 'open' ? t('Save and close') : t('Save and reopen')}
        </Button>
      </FormActions>
    </Form>
    <ActionButton action={`${here}/delete`} csrf={visit.csrf} values={{ id: milestone.id }}>
      <Button small variant="danger" icon="trash">
        {rich('Delete {title}', { title: milestone.title })}
      </Button>
    </ActionButton>
  </>
)

const MilestoneChanges = ({
  visit,
  here,
  milestone,
}: {
  visit: Visit
  here: string
  milestone: Milestone
}) => {
  const at = visitForForm(visit, `${here}/edit`)
  const refused = at.form.values.text('id') === milestone.id
  return (
    <RowForm
      visit={visit}
      id={milestone.id}
      refused={refused ? milestone.id : null}
      here={onPage(visit, here)}
      label={rich('Edit {name}', { name: milestone.title })}
    >
      {() => <MilestoneForms {...{ visit, at, here, milestone, refused }} />}
    </RowForm>
  )
}

const MilestoneDates = ({ milestone }: { milestone: Milestone }) => (
  <span>
    {milestone.due_on === null
      ? t('No date')
      : rich('Due {time}', { time: <RelativeTime at={milestone.due_on} /> })}
    {milestone.closed_at !== null &&
      rich(', closed {time}', { time: <RelativeTime at={milestone.closed_at} /> })}
  </span>
)

const MilestoneRow = ({
  milestone,
  visit,
  repo,
  mayEdit,
}: {
  milestone: Milestone
  visit: Visit
  repo: string
  mayEdit: boolean
}) => {
  const here = repoPath(repo, '/milestones')
  const total = milestone.open_count + milestone.closed_count
  return (
    <Row
      mark={<Icon name="milestone" />}
      title={
        <a
          href={withQuery(repoPath(repo, '/issues'), {
            milestone: milestone.id,
            state: milestone.state === 'closed' ? 'all' : undefined,
          })}
        >
          {milestone.title}
        </a>
      }
      meta={<MilestoneDates milestone={milestone} />}
      end={
        <span class="muted">
          {rich('{closed_count} of {total} done', { closed_count: milestone.closed_count, total })}
        </span>
      }
    >
      <progress
        class="progress"
        max={String(Math.max(1, total))}
        value={String(milestone.closed_count)}
        aria-label={t('{closed_count} of {total} issues are closed', {
          closed_count: milestone.closed_count,
          total,
        })}
      />
      {milestone.description !== null && (
        <MarkdownBody
          text={milestone.description}
          options={markdownOf(visit, repo)}
          whole={{ href: `${here}/${milestone.id}`, maxBytes: MAX_DESCRIPTION_BYTES }}
        />
      )}
      {mayEdit && <MilestoneChanges visit={visit} here={here} milestone={milestone} />}
    </Row>
  )
}

const NewMilestoneCard = ({ visit, here, made }: { visit: Visit; here: string; made: Visit }) => (
  <Card title={t('New milestone')}>
    <Form
      action={here}
      csrf={visit.csrf}
      label={t('New milestone')}
      error={formError(made, ...FIELDS)}
    >
      <MilestoneFields visit={made} id="new" />
      <FormActions>
        <Button variant="primary">{t('Create milestone')}</Button>
      </FormActions>
    </Form>
  </Card>
)

export const milestonesPage = page({
  path: '/:workspace/:repo/milestones',
  load: async (visit) => {
    const name = repoOf(visit)
    const state = stateOf(visit)
    const [repo, milestones] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      loadPage(visit, (page) =>
        visit.call(listMilestones, { repo: name, state, page, per_page: PER_PAGE }),
      ),
    ])
    return { repo, milestones, state }
  },
  view: ({ repo, milestones, state }, visit) => {
    const here = repoPath(repo.full_name, '/milestones')
    const mayEdit = repo.permissions.triage && visit.viewer !== null && !repo.archived
    const made = visitForForm(visit, here)
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Milestones')} current="issues">
        <PageHead
          title={t('Milestones')}
          lead={rich('Goals to group <a>issues</a> under.', {
            a: (inner) => <a href={repoPath(repo.full_name, '/issues')}>{inner}</a>,
          })}
        />
        <FilterBar
          label={t('Which milestones')}
          filters={[
            { label: t('Open'), href: here, current: state === 'open' },
            {
              label: t('Closed'),
              href: withQuery(here, { state: 'closed' }),
              current: state === 'closed',
            },
          ]}
        />
        {milestones.items.length === 0 ? (
          <EmptyState
            icon="milestone"
            title={state === 'open' ? t('No open milestones') : t('No closed milestones')}
          >
            {t('A milestone shows how far a group of issues has come.')}
          </EmptyState>
        ) : (
          <List label={t('Milestones')}>
            {milestones.items.map((milestone) => (
              <MilestoneRow
                milestone={milestone}
                visit={visit}
                repo={repo.full_name}
                mayEdit={mayEdit}
              />
            ))}
          </List>
        )}
        <RowSteps
          list={milestones}
          here={withQuery(here, { state: state === 'open' ? undefined : state })}
          label={t('Pages of milestones')}
        />
        {mayEdit && <NewMilestoneCard visit={visit} here={here} made={made} />}
      </RepoFrame>
    )
  },
})

const hereOf = (visit: Visit): string => repoPath(repoOf(visit), '/milestones')

/** A date stands for the end of that day in UTC. */
const given = (fields: Fields) => {
  const day = fields.optional('due_on')
  return {
    title: fields.text('title'),
    description: fields.optional('description') ?? null,
    due_on: day === undefined ? null : /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T23:59:59Z` : day,
  }
}

export const milestoneForms = [
  action({
    path: '/:workspace/:repo/milestones',
    page: milestonesPage,
    submit: async (visit, fields) => {
      await visit.call(createMilestone, { repo: repoOf(visit), ...given(fields) })
      return redirectWithFlash(visit, hereOf(visit), 'milestone-saved')
    },
  }),
  action({
    path: '/:workspace/:repo/milestones/edit',
    page: milestonesPage,
    submit: async (visit, fields) => {
      const state = fields.text('state')
      await visit.call(updateMilestone, {
        repo: repoOf(visit),
        id: fields.text('id'),
        ...given(fields),
        ...(state === 'open' || state === 'closed' ? { state } : {}),
      })
      return redirectWithFlash(visit, onPage(visit, hereOf(visit)), 'milestone-saved')
    },
  }),
  action({
    path: '/:workspace/:repo/milestones/delete',
    submit: async (visit, fields) => {
      await visit.call(deleteMilestone, { repo: repoOf(visit), id: fields.text('id') })
      return redirectWithFlash(visit, onPage(visit, hereOf(visit)), 'milestone-deleted')
    },
  }),
]
