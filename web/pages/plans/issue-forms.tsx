// The forms that change, remove and add issues of a plan.
import { SIZES, type Plan, type PlanIssue } from '#features/plans/index.ts'
import { Button, Card, Field, Form, FormActions, Select, TextArea } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { SIZE_LABELS } from './plan-status.tsx'

type FormProps = { visit: Visit; action: string; issue: PlanIssue | null }

const Texts = ({
  issue,
  id,
  value,
}: {
  issue: PlanIssue | null
  id: (name: string) => string
  value: (name: string, stored: string) => string
}) => (
  <>
    <Field
      id={id('title')}
      name="title"
      label={t('Title')}
      required
      maxlength={256}
      autocomplete="off"
      value={value('title', issue?.title ?? '')}
    />
    <TextArea
      id={id('body')}
      name="body"
      label={t('Description')}
      rows={4}
      value={value('body', issue?.body ?? '')}
    />
    <Field
      id={id('depends_on')}
      name="depends_on"
      label={t('Waits for')}
      autocomplete="off"
      value={value('depends_on', issue?.depends_on.join(', ') ?? '')}
      hint={t('Positions of issues that must close first, such as 1, 2.')}
    />
    <Field
      id={id('labels')}
      name="labels"
      label={t('Labels')}
      autocomplete="off"
      value={value('labels', issue?.labels.join(', ') ?? '')}
    />
    <TextArea
      id={id('checks')}
      name="checks"
      label={t('Acceptance checks')}
      rows={2}
      mono
      value={value('checks', issue?.checks.join('\n') ?? '')}
      hint={t('One command per line.')}
    />
    <Field
      id={id('paths')}
      name="paths"
      label={t('Expected files')}
      mono
      autocomplete="off"
      value={value('paths', issue?.paths.join(', ') ?? '')}
    />
  </>
)

/** The position in the form that was refused. Null when none was. */
const refusedPosition = ({ form }: Visit): number | null =>
  form.error !== null && form.values.has('position') ? Number(form.values.text('position')) : null

/**
 * The issue whose form the address asks for, or whose form was refused. The form of a long issue is a
 * page of its own.
 */
export function editedIssue(visit: Visit, plan: Plan): PlanIssue | null {
  const position = refusedPosition(visit) ?? Number(visit.url.searchParams.get('edit'))
  return plan.issues.find((issue) => issue.position === position) ?? null
}

export const IssueForm = ({ visit, action, issue }: FormProps) => {
  const { values, error } = visit.form
  const position = String(issue?.position ?? 0)
  const typed = error !== null && values.has('title') && values.text('position') === position
  const id = (name: string) => `issue-${position}-${name}`
  const value = (name: string, stored: string) => (typed ? values.text(name) : stored)
  const label = issue ? t('Edit issue {position}', { position }) : t('Add issue')
  return (
    <Form action={action} csrf={visit.csrf} label={label}>
      <input type="hidden" name="position" value={position} />
      <Texts issue={issue} id={id} value={value} />
      <Select
        id={id('size')}
        name="size"
        label={t('Size')}
        required
        value={value('size', issue?.size ?? 'medium')}
        options={SIZES.map((size) => ({ value: size, label: SIZE_LABELS[size] }))}
      />
      <FormActions>
        <Button icon={issue ? undefined : 'plus'}>{issue ? t('Save') : t('Add issue')}</Button>
        {issue && (
          <Button variant="danger" icon="trash" name="do" value="remove">
            {t('Remove issue')}
          </Button>
        )}
      </FormActions>
    </Form>
  )
}

/** The form for one more issue. */
export const AddIssue = ({ visit, action }: { visit: Visit; action: string }) => (
  <Card title={t('Change the plan')}>
    <details class="more" open={refusedPosition(visit) === 0}>
      <summary>{t('Add issue')}</summary>
      <IssueForm visit={visit} action={action} issue={null} />
    </details>
  </Card>
)
