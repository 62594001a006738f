import theme from "vitepress/theme";
import "./colors.css";

export default theme;
