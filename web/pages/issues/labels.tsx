import {
  createLabel,
  deleteLabel,
  listLabels,
  updateLabel,
  type Label as LabelRecord,
} from '#features/issues/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  EmptyState,
  Field,
  Form,
  FormActions,
  Label,
  List,
  PageHead,
  Pagination,
  Row,
} from '../../components/index.ts'
import { loadPage, onSamePage, RowForm } from '../row-form.tsx'
import { repoPath, withQuery } from '../../paths.ts'
import { action, redirectWithFlash, emptyFormState, page, type Visit } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import { fieldError, visitForForm, formError } from '../shell.tsx'
import { rich, t, tn } from '../../text.ts'

const PER_PAGE = 30

const FIELDS = ['name', 'color', 'description']

const Fields = ({ visit, of, id }: { visit: Visit; of?: LabelRecord; id: string }) => {
  const typedOr = (name: 'name' | 'color' | 'description') =>
    visit.form.values.has(name) ? visit.form.values.text(name) : (of?.[name] ?? '')
  return (
    <>
      <Field
        id={`${id}-name`}
        name="name"
        label={t('Name')}
        required
        maxlength={50}
        value={typedOr('name')}
        error={fieldError(visit, 'name')}
      />
      <Field
        id={`${id}-color`}
        name="color"
        label={t('Color')}
        mono
        maxlength={7}
        placeholder="d73a4a"
        hint={t('Six hex digits. Left empty, the name decides the color.')}
        value={typedOr('color')}
        error={fieldError(visit, 'color')}
      />
      <Field
        id={`${id}-description`}
        name="description"
        label={t('Description')}
        maxlength={200}
        value={typedOr('description')}
        error={fieldError(visit, 'description')}
      />
    </>
  )
}

/** The forms that change and delete a label. `refused` has what was typed. */
const LabelForms = ({
  label,
  visit,
  here,
  refused,
}: {
  label: LabelRecord
  visit: Visit
  here: string
  refused: Visit | null
}) => (
  <>
    <Form
      action={`${here}/edit`}
      csrf={visit.csrf}
      label={t('Change {name}', { name: label.name })}
      error={refused && formError(refused, ...FIELDS)}
    >
      <input type="hidden" name="label" value={label.name} />
      <Fields
        visit={refused ?? { ...visit, form: emptyFormState }}
        of={label}
        id={`${label.id}-field`}
      />
      <FormActions>
        <Button small>{t('Save')}</Button>
      </FormActions>
    </Form>
    <ActionButton action={`${here}/delete`} csrf={visit.csrf} values={{ label: label.name }}>
      <Button small variant="danger" icon="trash">
        {rich('Delete {name}', { name: label.name })}
      </Button>
    </ActionButton>
  </>
)

const LabelRow = ({
  label,
  visit,
  repo,
  mayEdit,
}: {
  label: LabelRecord
  visit: Visit
  repo: string
  mayEdit: boolean
}) => {
  const here = repoPath(repo, '/labels')
  const at = visitForForm(visit, `${here}/edit`)
  const refused = at.form.values.text('label') === label.name
  return (
    <Row
      title={
        <Label label={label} href={withQuery(repoPath(repo, '/issues'), { label: label.name })} />
      }
      meta={label.description === null ? undefined : <bdi>{label.description}</bdi>}
      end={
        <span class="muted">
          {tn('{count} open issue', '{count} open issues', label.issues_count)}
        </span>
      }
    >
      {mayEdit && (
        <RowForm
          visit={visit}
          id={label.id}
          refused={refused ? label.id : null}
          here={onSamePage(visit, here, 'page')}
          label={t('Change or delete')}
        >
          {() => (
            <LabelForms label={label} visit={visit} here={here} refused={refused ? at : null} />
          )}
        </RowForm>
      )}
    </Row>
  )
}

export const labelsPage = page({
  path: '/:workspace/:repo/labels',
  load: async (visit) => {
    const name = repoOf(visit)
    const [repo, labels] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      loadPage(visit, (page) => visit.call(listLabels, { repo: name, page, per_page: PER_PAGE })),
    ])
    return { repo, labels: labels.items, total: labels.total ?? 0, number: labels.page }
  },
  view: ({ repo, labels, total, number }, visit) => {
    const here = repoPath(repo.full_name, '/labels')
    const mayEdit = repo.permissions.triage && visit.viewer !== null && !repo.archived
    const made = visitForForm(visit, here)
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Labels')} current="issues">
        <PageHead
          title={t('Labels')}
          lead={rich('Labels sort <a>issues</a> and pull requests by subject.', {
            a: (inner) => <a href={repoPath(repo.full_name, '/issues')}>{inner}</a>,
          })}
        />
        {labels.length === 0 ? (
          <EmptyState icon="tag" title={t('No labels')}>
            {t('Create one here, or add a new name to an issue.')}
          </EmptyState>
        ) : (
          <List label={t('Labels')}>
            {labels.map((label) => (
              <LabelRow label={label} visit={visit} repo={repo.full_name} mayEdit={mayEdit} />
            ))}
          </List>
        )}
        <Pagination
          page={number}
          perPage={PER_PAGE}
          total={total}
          href={(to) => withQuery(here, { page: to > 1 ? to : undefined })}
        />
        {mayEdit && (
          <Card title={t('New label')}>
            <Form
              action={here}
              csrf={visit.csrf}
              label={t('New label')}
              error={formError(made, ...FIELDS)}
            >
              <Fields visit={made} id="new" />
              <FormActions>
                <Button variant="primary">{t('Create label')}</Button>
              </FormActions>
            </Form>
          </Card>
        )}
      </RepoFrame>
    )
  },
})

const hereOf = (visit: Visit): string => repoPath(repoOf(visit), '/labels')

export const labelForms = [
  action({
    path: '/:workspace/:repo/labels',
    page: labelsPage,
    submit: async (visit, fields) => {
      const color = fields.optional('color')
      await visit.call(createLabel, {
        repo: repoOf(visit),
        name: fields.text('name'),
        description: fields.optional('description') ?? null,
        ...(color === undefined ? {} : { color }),
      })
      return redirectWithFlash(visit, hereOf(visit), 'label-saved')
    },
  }),
  action({
    path: '/:workspace/:repo/labels/edit',
    page: labelsPage,
    submit: async (visit, fields) => {
      const color = fields.optional('color')
      await visit.call(updateLabel, {
        repo: repoOf(visit),
        label: fields.text('label'),
        name: fields.text('name'),
        description: fields.optional('description') ?? null,
        ...(color === undefined ? {} : { color }),
      })
      return redirectWithFlash(visit, hereOf(visit), 'label-saved')
    },
  }),
  action({
    path: '/:workspace/:repo/labels/delete',
    submit: async (visit, fields) => {
      await visit.call(deleteLabel, { repo: repoOf(visit), label: fields.text('label') })
      return redirectWithFlash(visit, hereOf(visit), 'label-deleted')
    },
  }),
]
