import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./client.ts";
import "./style.css";
import { UsersPage } from "./users-page.tsx";

const root = document.querySelector("#root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <UsersPage />
    </QueryClientProvider>
  </StrictMode>,
);
