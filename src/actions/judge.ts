/**
 * GitHub's own schema of workflow files (`@actions/workflow-parser`) as a judge: its errors with
 * their places. Its tokens are not used: they lose line breaks and quotes of values.
 *
 * The first judgement builds the schema, which takes about 100 ms. It has no limit of its own on
 * time; callers run it in a thread (`actions.worker.ts`) on a document that `readYaml` has accepted.
 */
import { ACTION_ROOT } from '@actions/workflow-parser/actions/action-constants'
import { getActionSchema } from '@actions/workflow-parser/actions/action-schema'
import {
  TemplateContext,
  TemplateValidationErrors,
} from '@actions/workflow-parser/templates/template-context'
import { readTemplate } from '@actions/workflow-parser/templates/template-reader'
import { NoOperationTraceWriter } from '@actions/workflow-parser/templates/trace-writer'
import { WORKFLOW_ROOT } from '@actions/workflow-parser/workflows/workflow-constants'
import { getWorkflowSchema } from '@actions/workflow-parser/workflows/workflow-schema'
import { YamlObjectReader } from '@actions/workflow-parser/workflows/yaml-object-reader'
import { FeatureFlags } from '@actions/expressions'
import { firstLine, type Fault } from './document.ts'

/** One slip can give 170 errors. */
export const MAX_FAULTS = 10

/** The faults of a workflow or of an action's `action.yml`, at most `MAX_FAULTS`. */
export function judge(text: string, kind: 'workflow' | 'action'): Fault[] {
  const schema = kind === 'workflow' ? getWorkflowSchema() : getActionSchema()
  const errors = new TemplateValidationErrors(MAX_FAULTS, 2_000)
  const context = new TemplateContext(errors, schema, new NoOperationTraceWriter())
  context.state.featureFlags = new FeatureFlags({ allowCaseFunction: true })
  const file = context.getFileId('file')
  const reader = new YamlObjectReader(file, text)
  readTemplate(context, kind === 'workflow' ? WORKFLOW_ROOT : ACTION_ROOT, reader, file)
  return errors.getErrors().map(({ rawMessage, prefix, range }) => {
    const [, line, column] = /\(Line: (\d{1,9}), Col: (\d{1,9})\)/.exec(prefix ?? '') ?? []
    return {
      line: Number(line ?? range?.start.line ?? 1),
      column: Number(column ?? range?.start.column ?? 1),
      text: firstLine(rawMessage),
    }
  })
}
