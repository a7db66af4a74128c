package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;

/**
 * Small pictures of the parts of a page, each as wide as the others, one below the other. So small that a font of
 * another machine makes no difference, but another colour, a missing line or a part elsewhere in its drawing does.
 */
public final class ContactSheet {
    private static final int WIDTH = 96;
    /** Of 255: a pixel is another if it differs by so much from each of the golden's nine around its place. */
    private static final double OTHER = 16;
    /** Pixels of a part that may be others: letters of another font, and their smoothing. */
    private static final double MOST_PERCENT = 1;

    private final List<BufferedImage> parts;

    private ContactSheet(List<BufferedImage> parts) {
        this.parts = parts;
    }

    /** Cut from a screenshot; each place is left, top, width and height. */
    public static ContactSheet of(Path screenshot, List<int[]> places) throws IOException {
        BufferedImage page = ImageIO.read(screenshot.toFile());
        return new ContactSheet(places.stream()
                .map(at -> small(page.getSubimage(at[0], at[1], Math.min(at[2], page.getWidth() - at[0]),
                        Math.min(at[3], page.getHeight() - at[1]))))
                .toList());
    }

    /** Means of squares of pixels. */
    private static BufferedImage small(BufferedImage part) {
        int height = Math.max(1, Math.round((float) part.getHeight() * WIDTH / part.getWidth()));
        BufferedImage small = new BufferedImage(WIDTH, height, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < WIDTH; x++) {
                small.setRGB(x, y, mean(part, x * part.getWidth() / WIDTH, y * part.getHeight() / height,
                        Math.max(x * part.getWidth() / WIDTH + 1, (x + 1) * part.getWidth() / WIDTH),
                        Math.max(y * part.getHeight() / height + 1, (y + 1) * part.getHeight() / height)));
            }
        }
        return small;
    }

    private static int mean(BufferedImage part, int left, int top, int right, int bottom) {
        long[] sums = new long[3];
        for (int y = top; y < bottom; y++) {
            for (int x = left; x < right; x++) {
                Color colour = new Color(part.getRGB(x, y));
                sums[0] += colour.getRed();
                sums[1] += colour.getGreen();
                sums[2] += colour.getBlue();
            }
        }
        int pixels = (right - left) * (bottom - top);
        return new Color((int) (sums[0] / pixels), (int) (sums[1] / pixels), (int) (sums[2] / pixels)).getRGB();
    }

    /** The parts are those of the golden of that name, in their order. */
    public void check(String file) throws IOException {
        BufferedImage now = sheet();
        Path golden = Golden.file(file, path -> ImageIO.write(now, "png", path.toFile()));
        BufferedImage then = ImageIO.read(golden.toFile());
        assertThat(now.getHeight()).as("%s: parts of the page, or their heights, are others", golden)
                .isCloseTo(then.getHeight(), org.assertj.core.data.Percentage.withPercentage(4));
        int top = 0;
        for (int i = 0; i < parts.size(); i++) {
            int height = Math.min(parts.get(i).getHeight(), then.getHeight() - top);
            int others = 0;
            for (int y = top; y < top + height; y++) {
                for (int x = 0; x < WIDTH; x++) {
                    others += isOther(now.getRGB(x, y), then, x, y) ? 1 : 0;
                }
            }
            assertThat(100.0 * others / (WIDTH * height)).as("%s: part %d, %% of its pixels", golden, i)
                    .isLessThanOrEqualTo(MOST_PERCENT);
            top += parts.get(i).getHeight();
        }
    }

    private static boolean isOther(int colour, BufferedImage golden, int x, int y) {
        for (int nearY = Math.max(0, y - 1); nearY <= Math.min(golden.getHeight() - 1, y + 1); nearY++) {
            for (int nearX = Math.max(0, x - 1); nearX <= Math.min(WIDTH - 1, x + 1); nearX++) {
                if (difference(colour, golden.getRGB(nearX, nearY)) < OTHER) {
                    return false;
                }
            }
        }
        return true;
    }

    private static double difference(int one, int other) {
        Color a = new Color(one);
        Color b = new Color(other);
        return (Math.abs(a.getRed() - b.getRed()) + Math.abs(a.getGreen() - b.getGreen())
                + Math.abs(a.getBlue() - b.getBlue())) / 3.0;
    }

    private BufferedImage sheet() {
        BufferedImage sheet = new BufferedImage(WIDTH, parts.stream().mapToInt(BufferedImage::getHeight).sum(),
                BufferedImage.TYPE_INT_RGB);
        int top = 0;
        for (BufferedImage part : parts) {
            sheet.getRaster().setRect(0, top, part.getRaster());
            top += part.getHeight();
        }
        return sheet;
    }
}
