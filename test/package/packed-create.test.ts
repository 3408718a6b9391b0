import { describeCreatedProjects } from "./created-projects.ts";

describeCreatedProjects(() => process.execPath);
