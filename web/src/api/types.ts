// Types of the wire.  scripts/sdk.py generates them from docs/reference/openapi.json for the TypeScript SDK; the
// console uses the same file.  Only what the command schemas do not describe is declared here.
export type * from "../../../sdk/typescript/src/types";

import type { Commands, Job, ProcessView, SandboxMode, Task } from "../../../sdk/typescript/src/types";

export type CommandName = keyof Commands;
export type Args<C extends CommandName> = Commands[C]["args"];
export type Reply<C extends CommandName> = Commands[C]["reply"];

/** GET /v1/console/session. */
export interface ConsoleSession {
  principal: string;
  scopes: string[];
  expiresAt?: string;
  version: string;
  runtimeId: string;
}

/** The schema of a question's answer, as far as the form draws it. */
export interface FieldSchema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  enumNames?: string[];
  oneOf?: { const?: unknown; title?: string }[];
  anyOf?: { const?: unknown; title?: string }[];
  items?: FieldSchema;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

export interface AnswerSchema {
  type?: string;
  properties?: Record<string, FieldSchema>;
  required?: string[];
}

/** A task of a list or of get_task: whole, while an event carries only the members that changed. */
export type ListedTask = Task & Required<Pick<Task, "sessionId" | "status" | "createdAt" | "updatedAt" | "attempts" | "relationships">>;

/** A job of a list over all sessions names its session. */
export type ListedJob = Job & Required<Pick<Job, "sessionId">>;

/** A process of a list over all sessions names its session. */
export type ListedProcess = ProcessView & Required<Pick<ProcessView, "sessionId">>;

/** Where a forked thread began: the payload of thread.started. */
export interface ForkPoint {
  sessionId?: string;
  threadId: string;
  turnId?: string;
  sequence: number;
}

/** Members of GetCapabilitiesReply that its schema leaves open. */
export interface SandboxCapability {
  status: string;
  mode?: SandboxMode;
  tier?: string;
}

export interface ProviderCapability {
  provider: string;
  model: string;
  hasCredential: boolean;
  windowTokens?: number;
}
