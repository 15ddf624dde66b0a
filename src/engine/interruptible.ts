import { Interrupted } from "../http/client.ts";

/** Runs part of a run, or gives `otherwise` where an interrupt ended it. */
export async function interruptible<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) return otherwise;
    throw error;
  }
}
