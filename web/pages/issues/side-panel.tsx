// The side panel of an issue or pull request: labels, assignees and the like, with forms for those
// who may change them.
import type { Label as LabelRecord, Milestone } from '#features/issues/index.ts'
import {
  Button,
  Field,
  Form,
  FormActions,
  Labels,
  ActorLink,
  Select,
  SideBlock,
  type ActorSummary,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { issuePath, repoPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { fieldError, visitForForm, formError } from '../shell.tsx'

type SidePanelContext = { visit: Visit; repo: string; here: string; mayEdit: boolean }

/** A form that unfolds, and is open after a refusal. */
const Change = ({
  visit,
  here,
  part,
  field,
  children,
}: Omit<SidePanelContext, 'repo' | 'mayEdit'> & {
  part: string
  field: string
  children?: Child
}) => {
  const at = visitForForm(visit, `${here}/${part}`)
  return (
    <details class="more" open={at.form.error !== null}>
      <summary>Change</summary>
      <Form
        action={`${here}/${part}`}
        csrf={visit.csrf}
        label={`Change ${part}`}
        error={formError(at, field)}
      >
        {children}
        <FormActions>
          <Button small>Save</Button>
        </FormActions>
      </Form>
    </details>
  )
}

const typed = (
  visit: Visit,
  here: string,
  part: string,
  name: string,
  stored: string,
): { value: string; error: string | null } => {
  const at = visitForForm(visit, `${here}/${part}`)
  return {
    value: at.form.values.has(name) ? at.form.values.text(name) : stored,
    error: fieldError(at, name),
  }
}

export const LabelsSide = ({
  names,
  known,
  ...place
}: SidePanelContext & { names: readonly string[]; known: readonly LabelRecord[] }) => {
  const { visit, repo, here, mayEdit } = place
  const byName = new Map(known.map((label) => [label.name, label]))
  return (
    <SideBlock title="Labels">
      {names.length === 0 ? (
        <p class="muted">None</p>
      ) : (
        <Labels
          labels={names.map((name) => byName.get(name) ?? { name })}
          href={(name) => withQuery(repoPath(repo, '/issues'), { label: name })}
        />
      )}
      {mayEdit && (
        <Change visit={visit} here={here} part="labels" field="labels">
          <Field
            id="side-labels"
            name="labels"
            label="Labels"
            hideLabel
            hint="Separated by commas; a new name makes a new label."
            suggestions={known.map(({ name }) => name)}
            {...typed(visit, here, 'labels', 'labels', names.join(', '))}
          />
        </Change>
      )}
    </SideBlock>
  )
}

export const AssigneesSide = ({
  people,
  assignable,
  ...place
}: SidePanelContext & {
  people: readonly (ActorSummary & { username: string })[]
  assignable: readonly string[]
}) => {
  const { visit, here, mayEdit } = place
  return (
    <SideBlock title="Assignees">
      {people.length === 0 ? (
        <p class="muted">Nobody</p>
      ) : (
        <ul class="bare-list">
          {people.map((person) => (
            <li>
              <ActorLink of={person} />
            </li>
          ))}
        </ul>
      )}
      {mayEdit && (
        <Change visit={visit} here={here} part="assignees" field="assignees">
          <Field
            id="side-assignees"
            name="assignees"
            label="Assignees"
            hideLabel
            mono
            hint="Usernames of people and agents, separated by commas."
            suggestions={assignable}
            {...typed(
              visit,
              here,
              'assignees',
              'assignees',
              people.map(({ username }) => username).join(', '),
            )}
          />
        </Change>
      )}
    </SideBlock>
  )
}

export const MilestoneSide = ({
  milestone,
  known,
  ...place
}: SidePanelContext & {
  milestone: { id: string; title: string } | null
  known: readonly Milestone[]
}) => {
  const { visit, repo, here, mayEdit } = place
  if (milestone === null && !mayEdit) return null
  const options =
    milestone !== null && !known.some(({ id }) => id === milestone.id)
      ? [milestone, ...known]
      : known
  return (
    <SideBlock title="Milestone">
      {milestone === null ? (
        <p class="muted">None</p>
      ) : (
        <p>
          <a href={withQuery(repoPath(repo, '/issues'), { milestone: milestone.id })}>
            {milestone.title}
          </a>
        </p>
      )}
      {mayEdit && options.length > 0 && (
        <Change visit={visit} here={here} part="milestone" field="milestone">
          <Select
            id="side-milestone"
            name="milestone"
            label="Milestone"
            hideLabel
            options={[
              { value: '', label: 'None' },
              ...options.map(({ id, title }) => ({ value: id, label: title })),
            ]}
            {...typed(visit, here, 'milestone', 'milestone', milestone?.id ?? '')}
          />
        </Change>
      )}
    </SideBlock>
  )
}

export const BlockedBySide = ({
  numbers,
  ...place
}: SidePanelContext & { numbers: readonly number[] }) => {
  const { visit, repo, here, mayEdit } = place
  if (numbers.length === 0 && !mayEdit) return null
  return (
    <SideBlock title="Waits for">
      {numbers.length === 0 ? (
        <p class="muted">Nothing</p>
      ) : (
        <ul class="bare-list">
          {numbers.map((number) => (
            <li>
              <a href={issuePath(repo, number)}>#{number}</a>
            </li>
          ))}
        </ul>
      )}
      {mayEdit && (
        <Change visit={visit} here={here} part="blocked-by" field="blocked_by">
          <Field
            id="side-blocked"
            name="blocked_by"
            label="Issues that must close first"
            hideLabel
            hint="Numbers, separated by commas."
            inputmode="numeric"
            {...typed(visit, here, 'blocked-by', 'blocked_by', numbers.join(', '))}
          />
        </Change>
      )}
    </SideBlock>
  )
}
