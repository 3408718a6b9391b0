export { transaction } from "./transaction.ts";
export type {
  AfterCommit,
  TransactionContext,
  TransactionOptions,
  TransactionWork,
} from "./transaction.ts";
