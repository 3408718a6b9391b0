import { useData, withBase } from "vitepress";
import theme from "vitepress/theme-without-fonts";
import { h, nextTick, onMounted } from "vue";
import "./style.css";

/** The list of all pages, for those who did not find the one they asked for. */
const NotFound = () => {
  const { theme: options } = useData();
  const toItem = ({ text, link }) => h("li", h("a", { href: withBase(link) }, text));
  return h("div", { class: "not-found vp-doc" }, [
    h("h1", "There is no such page"),
    h("p", "It may have moved. Search for it above, or choose one of these pages."),
    ...options.value.sidebar.flatMap(({ text, items }) => [
      h("h2", text),
      h("ul", items.map(toItem)),
    ]),
  ]);
};

const Layout = {
  setup() {
    // on a phone, the menu opens at the page that one reads
    onMounted(() =>
      document.addEventListener("click", async ({ target }) => {
        if (!target.closest(".VPLocalNav .menu")) return;
        await nextTick();
        document
          .querySelector(".VPSidebar .VPSidebarItem.is-link.is-active")
          ?.scrollIntoView({ block: "center" });
      }),
    );
    return () => h(theme.Layout, null, { "not-found": () => h(NotFound) });
  },
};

export default { extends: theme, Layout };
