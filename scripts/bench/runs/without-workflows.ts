/** The forge without the features of workflows: what a push is compared with. */
import './leave-out-workflows.ts'
import '#src/main.ts'
