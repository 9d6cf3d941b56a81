import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { removeSignInsOf } from '../store/sign-ins.ts'

export const endOtherSignIns = operation({
  name: 'end_other_sign_ins',
  summary: 'Sign all your other browsers out of the website. Answers with how many there were.',
  route: null,
  access: personOnly({ writes: true, whileUnconfirmed: true }),
  input: Type.Object({}),
  output: Type.Object({ ended: Type.Integer() }),

  handler: ({ caller, write }) =>
    write((tx) => {
      const ended = removeSignInsOf(tx.db, caller.id, caller.sign_in)
      tx.audit({
        action: 'user.other_sign_ins_ended',
        target: { kind: 'user', id: caller.id, name: caller.username },
        data: { ended },
      })
      return { ended }
    }),
})
